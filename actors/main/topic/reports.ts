import type { TopicCounts } from '../../../src/api/topic.ts'
import type { ErrorCode } from '../../../src/domain/errors.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { Tally } from '../../../src/telemetry/counters.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import { openWarnings } from '../../../src/telemetry/rate-limit.ts'
import type { TopicMessage } from '../../../src/topic/envelope.ts'

/** Of log lines that unauthenticated requests cause. */
const LINES = { burst: 20, everyMs: 5_000 }

interface TopicReportsDeps {
  readonly log: Log
  readonly clock: Clock
  /** Counts a refusal among those of all requests. */
  refused(code: ErrorCode): void
  warned(warnings: readonly string[]): void
}

export type TopicReports = ReturnType<typeof topicReports>

/** Reports of the topic intake, as log lines and counts. */
export function topicReports({ log, clock, refused: count, warned }: TopicReportsDeps) {
  const warn = openWarnings({ log, clock }, LINES)
  const refused = new Tally<ErrorCode>()
  let taken = 0

  /** `messageReceived` is called when a signed message proves that the topic reaches this service. */
  function handler(messageReceived: () => void) {
    return {
      taken(type: TopicMessage['Type'] | 'Raw'): void {
        taken++
        if (type !== 'Raw') messageReceived()
      },
      /** `why` quotes nothing of the body. */
      refused(code: ErrorCode, why: string): void {
        refused.add(code)
        count(code)
        warn({ code, why }, 'a topic message was refused')
      },
      /** Parameters in the query of the subscribed address have no effect. */
      warned,
      unsubscribed: () => warn({}, 'the subscription to the topic was ended: it is renewed'),
    }
  }

  function subscription(topic: string) {
    return {
      subscribed: () => log.info({ topic }, 'subscribed to the topic'),
      pending: () => log.info({ topic }, 'the topic will ask for a confirmation of the subscription'),
      /** The topic did not ask for a confirmation in time; it is subscribed anew. */
      unconfirmed: (afterMs: number) =>
        log.error(
          { topic, afterMs },
          'the topic has sent no confirmation: check that it can reach topicsvc.https_endpoint_subscription',
        ),
      failed: (error: string, retryInMs: number) =>
        log.error({ topic, error, retryInMs }, 'subscribing to the topic failed; it is tried again'),
    }
  }

  return { handler, subscription, counts: (): TopicCounts => ({ taken, refused: Object.fromEntries(refused) }) }
}
