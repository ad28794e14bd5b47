import { isDeepStrictEqual } from 'node:util'
import type { TopicStatus } from '../../../src/api/topic.ts'
import { CodedError, type ErrorCode } from '../../../src/domain/errors.ts'
import { topicOf } from '../../../src/domain/topic.ts'
import type { FrontSettings, PublicRoute, Submit } from '../../../src/http/contract.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import { HEADERS } from '../../../src/topic/payload.ts'
import type { TopicSettings } from '../../wiring/settings.ts'
import { topicReports } from './reports.ts'
import type { TopicServing } from './serving.ts'

interface TopicIntakeDeps {
  /** Path of the route; cannot change while the front serves. */
  readonly path: string
  readonly submit: Submit
  readonly clock: Clock
  readonly log: Log
  /** Counts a refusal among those of all requests. */
  refused(code: ErrorCode): void
  /** Reports parameters of the subscribed address that have no effect. */
  warned(warnings: readonly string[]): void
}

/** Largest envelope: 256 KiB of message and attributes, which JSON escapes make at most three times as long. */
const MAX_BODY_BYTES = 1024 * 1024

export type TopicIntake = ReturnType<typeof createTopicIntake>

/**
 * The intake from a notification topic: its route, and the `TopicServing` that answers it while a topic is configured.
 *
 * - opening: the front does not listen yet, so nothing is subscribed. Leaves to started.
 * - started: keeps the configured topic subscribed. Leaves to closed.
 * - closed: messages are answered 503 shutting_down.
 */
export function createTopicIntake(deps: TopicIntakeDeps) {
  const [path = ''] = deps.path.split('?')
  const reports = topicReports(deps)
  let serving: TopicServing | undefined
  let answer: PublicRoute['answer'] | undefined
  let state: 'opening' | 'started' | 'closed' = 'opening'
  let last: Promise<void> = Promise.resolve()

  const route: PublicRoute = {
    method: 'POST',
    path,
    headers: HEADERS,
    maxBodyBytes: MAX_BODY_BYTES,
    async answer(request) {
      if (state === 'closed') throw new CodedError('shutting_down')
      if (answer === undefined) throw new CodedError('not_found')
      return answer(request)
    },
  }

  async function change(settings: TopicSettings, front: FrontSettings): Promise<void> {
    const before = serving
    if (before === undefined || !isDeepStrictEqual(before.settings, settings)) {
      const next = await serve(settings)
      if (isClosed()) return next?.close()
      serving = next
      if (state === 'started') next?.subscription.start()
    }
    answer = serving?.createHandler(front)
    if (serving !== before) await before?.close()
  }

  /** Reads the state again after an await, during which it may have changed. */
  const isClosed = () => state === 'closed'

  async function serve(settings: TopicSettings): Promise<TopicServing | undefined> {
    const topic = settings.enable ? topicOf(settings.topicArn) : undefined
    if (topic === undefined) return undefined
    const { serveTopic } = await import('./serving.ts')
    return serveTopic(topic, settings, { ...deps, reports })
  }

  return {
    route,
    get status(): TopicStatus {
      return {
        enabled: serving !== undefined,
        topic_arn: serving?.settings.topicArn ?? '',
        subscription: serving?.subscription.status ?? null,
        messages: reports.counts(),
      }
    },
    /** Subscribes. The topic calls back at once, so the front must be listening. */
    start(): void {
      state = 'started'
      serving?.subscription.start()
    },
    /** Applies settings, after earlier ones. Equal topic settings keep the subscription and the certificates. */
    configure(settings: TopicSettings, front: FrontSettings): Promise<void> {
      const configured = last.then(() => change(settings, front))
      last = configured.catch(() => {})
      return configured
    },
    /** Answers messages 503 from now on and ends requests to the topic service. */
    async close(): Promise<void> {
      state = 'closed'
      await serving?.close()
    },
  }
}
