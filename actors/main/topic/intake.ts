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

/**
 * The intake from a notification topic: its route, and the `TopicServing` that answers it while a topic is configured.
 *
 * - opening: the front does not listen yet, so nothing is subscribed. Leaves to started.
 * - started: keeps the configured topic subscribed. Leaves to closed.
 * - closed: messages are answered 503 shutting_down.
 */
export class TopicIntake {
  readonly route: PublicRoute
  readonly #deps: TopicIntakeDeps
  readonly #reports: ReturnType<typeof topicReports>
  #serving: TopicServing | undefined
  #state: 'opening' | 'started' | 'closed' = 'opening'
  #last: Promise<void> = Promise.resolve()

  constructor(deps: TopicIntakeDeps) {
    const [path = ''] = deps.path.split('?')
    this.#deps = deps
    this.#reports = topicReports(deps)
    this.route = {
      method: 'POST',
      path,
      headers: HEADERS,
      maxBodyBytes: MAX_BODY_BYTES,
      answer: async (request) => this.#open().answer(request),
    }
  }

  get status(): TopicStatus {
    const serving = this.#serving
    return {
      enabled: serving !== undefined,
      topic_arn: serving?.settings.topicArn ?? '',
      subscription: serving?.subscription.status ?? null,
      messages: this.#reports.counts(),
    }
  }

  /** Subscribes. The topic calls back at once, so the front must be listening. */
  start(): void {
    this.#state = 'started'
    this.#serving?.subscription.start()
  }

  /** Applies settings, after earlier ones. Equal topic settings keep the subscription and the certificates. */
  configure(settings: TopicSettings, front: FrontSettings): Promise<void> {
    const configured = this.#last.then(() => this.#configure(settings, front))
    this.#last = configured.catch(() => {})
    return configured
  }

  /** Answers messages 503 from now on and ends requests to the topic service. */
  async close(): Promise<void> {
    this.#state = 'closed'
    await this.#serving?.close()
  }

  async #configure(settings: TopicSettings, front: FrontSettings): Promise<void> {
    const before = this.#serving
    if (before !== undefined && isDeepStrictEqual(before.settings, settings)) {
      before.answer = before.createHandler(front)
      return
    }
    const next = await this.#serve(settings, front)
    if (this.#state === 'closed') return next?.close()
    this.#serving = next
    if (this.#state === 'started') next?.subscription.start()
    await before?.close()
  }

  #open(): TopicServing {
    if (this.#state === 'closed') throw new CodedError('shutting_down')
    if (this.#serving === undefined) throw new CodedError('not_found')
    return this.#serving
  }

  async #serve(settings: TopicSettings, front: FrontSettings): Promise<TopicServing | undefined> {
    const topic = settings.enable ? topicOf(settings.topicArn) : undefined
    if (topic === undefined) return undefined
    const { submit, clock } = this.#deps
    const { TopicServing } = await import('./serving.ts')
    return new TopicServing(topic, settings, front, { submit, clock, reports: this.#reports })
  }
}
