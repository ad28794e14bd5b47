import type { Topic } from '../../../src/domain/topic.ts'
import type { FrontSettings, PublicRoute, Submit } from '../../../src/http/contract.ts'
import { openOverrides } from '../../../src/http/parameters.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { scrub } from '../../../src/text/scrub.ts'
import { signersOf } from '../../../src/topic/addresses.ts'
import { Certificates } from '../../../src/topic/certificates.ts'
import { Confirmations } from '../../../src/topic/confirmations.ts'
import { type Outbound, openOutbound } from '../../../src/topic/outbound.ts'
import { subscribe } from '../../../src/topic/subscribe.ts'
import type { TopicSettings } from '../../wiring/settings.ts'
import { topicHandler } from './deliveries.ts'
import type { topicReports } from './reports.ts'
import { TopicSubscription } from './subscription.ts'

interface TopicServingDeps {
  readonly submit: Submit
  readonly clock: Clock
  readonly reports: ReturnType<typeof topicReports>
}

/** For each request to the topic service, which itself waits 15 s for the answer to a delivery. */
const DEADLINE_MS = 5_000

/** Serves one topic. Loaded only when a topic is configured, because it brings the HTTP client along. */
export class TopicServing {
  readonly settings: TopicSettings
  readonly subscription: TopicSubscription
  /** Replaced when the names that overrides may choose among change. */
  answer: PublicRoute['answer']
  readonly #topic: Topic
  readonly #deps: TopicServingDeps
  readonly #outbound: Outbound = openOutbound()
  readonly #certificates: Certificates
  readonly #confirmations: Confirmations

  constructor(topic: Topic, settings: TopicSettings, front: FrontSettings, deps: TopicServingDeps) {
    const { clock, reports } = deps
    const common = { outbound: this.#outbound, deadlineMs: DEADLINE_MS, elapsed: () => clock.elapsed() }
    this.settings = settings
    this.#topic = topic
    this.#deps = deps
    this.#certificates = new Certificates({ ...common, signers: signersOf(topic), now: () => clock.now() })
    this.#confirmations = new Confirmations(common)
    this.subscription = new TopicSubscription({
      clock,
      random: Math.random,
      subscribe: () => subscribe({ ...settings, topic, endpoint: settings.endpoint + settings.path }, this.#outbound),
      describeError: (error) => scrub(String(error), [settings.accessKeyId, settings.secretAccessKey]),
      report: reports.subscription(topic.arn),
    })
    this.answer = this.createHandler(front)
  }

  createHandler({ parameters, onPayload }: FrontSettings): PublicRoute['answer'] {
    const { submit, clock, reports } = this.#deps
    return topicHandler({
      topic: this.#topic,
      certificates: this.#certificates,
      confirmations: this.#confirmations,
      submit,
      clock,
      rawDelivery: this.settings.rawDelivery,
      overridesOf: openOverrides(parameters),
      ...(onPayload === undefined ? {} : { onPayload }),
      report: reports.handler(() => this.subscription.messageReceived()),
    })
  }

  /** Ends requests to the topic service; deliveries that wait for one are answered 503. */
  async close(): Promise<void> {
    this.subscription.stop()
    await this.#outbound.close()
  }
}
