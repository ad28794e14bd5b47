import type { TopicCounts } from '../../../src/api/topic.ts'
import type { ErrorCode } from '../../../src/domain/errors.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import { LogRateLimiter } from '../../../src/topic/log-rate-limiter.ts'
import type { TopicReport } from './deliveries.ts'
import type { TopicSubscriptionReport } from './subscription.ts'

/** Lines that strangers can cause at once, and one more in so many milliseconds. */
const BURST = 20
const EVERY_MS = 5_000

interface TopicReportsDeps {
  readonly log: Log
  readonly clock: Clock
  /** Counts a refusal among those of all requests. */
  refused(code: ErrorCode): void
}

/** What the intake has to report, as log lines and counts. */
export function topicReports({ log, clock, refused: count }: TopicReportsDeps) {
  const budget = new LogRateLimiter(BURST, EVERY_MS, clock.elapsed())
  const refused = new Map<ErrorCode, number>()
  let taken = 0

  /** `heard` is called when a message proves that the topic calls us. */
  function handler(messageReceived: () => void): TopicReport {
    return {
      taken(type) {
        taken++
        if (type !== 'Raw') messageReceived()
      },
      refused(code, why) {
        refused.set(code, (refused.get(code) ?? 0) + 1)
        count(code)
        const unsaid = budget.take(clock.elapsed())
        if (unsaid === undefined) return
        log.warn({ code, why, ...(unsaid > 0 ? { notLogged: unsaid } : {}) }, 'a topic message was refused')
      },
      unsubscribed() {
        if (budget.take(clock.elapsed()) !== undefined)
          log.warn({}, 'somebody has ended the subscription to the topic: it is renewed')
      },
    }
  }

  function subscription(topic: string): TopicSubscriptionReport {
    return {
      subscribed: () => log.info({ topic }, 'subscribed to the topic'),
      pending: () => log.info({ topic }, 'the topic is to ask for a confirmation of the subscription'),
      unconfirmed: (afterMs) =>
        log.error({ topic, afterMs }, 'the topic has not asked for a confirmation: can it reach our address?'),
      failed: (error, retryInMs) => log.error({ topic, error, retryInMs }, 'the topic could not be subscribed'),
    }
  }

  return { handler, subscription, counts: (): TopicCounts => ({ taken, refused: Object.fromEntries(refused) }) }
}
