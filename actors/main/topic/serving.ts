import type { Topic } from '../../../src/domain/topic.ts'
import type { FrontSettings, OpenRoute, Submit } from '../../../src/http/contract.ts'
import { choicesOf, overridesOf } from '../../../src/http/parameters.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { scrub } from '../../../src/text/scrub.ts'
import { signersOf } from '../../../src/topic/addresses.ts'
import { Certificates } from '../../../src/topic/certificates.ts'
import { Confirmations } from '../../../src/topic/confirmations.ts'
import { type Outbound, openOutbound } from '../../../src/topic/outbound.ts'
import { subscribe } from '../../../src/topic/subscribe.ts'
import type { TopicSettings } from '../../wiring/settings.ts'
import { topicDesk } from './deliveries.ts'
import type { topicReports } from './reports.ts'
import { Subscription } from './subscription.ts'

export interface ServingTools {
  readonly submit: Submit
  readonly clock: Clock
  readonly reports: ReturnType<typeof topicReports>
}

/** The topic service waits 15 s for an answer. */
const DEADLINE_MS = 5_000

/** What serves one topic. The intake loads it when a topic is configured: it brings the HTTP client along. */
export class Serving {
  readonly settings: TopicSettings
  readonly subscription: Subscription
  /** Replaced when what the query may choose among changes. */
  answer: OpenRoute['answer']
  readonly #topic: Topic
  readonly #tools: ServingTools
  readonly #outbound: Outbound = openOutbound()
  readonly #certificates: Certificates
  readonly #confirmations: Confirmations

  constructor(topic: Topic, settings: TopicSettings, front: FrontSettings, tools: ServingTools) {
    const { clock, reports } = tools
    const common = { outbound: this.#outbound, deadlineMs: DEADLINE_MS, elapsed: () => clock.elapsed() }
    this.settings = settings
    this.#topic = topic
    this.#tools = tools
    this.#certificates = new Certificates({ ...common, signers: signersOf(topic), now: () => clock.now() })
    this.#confirmations = new Confirmations(common)
    this.subscription = new Subscription({
      clock,
      random: Math.random,
      subscribe: () => subscribe({ ...settings, topic, endpoint: settings.endpoint + settings.path }, this.#outbound),
      says: (error) => scrub(String(error), [settings.accessKeyId, settings.secretAccessKey]),
      report: reports.subscription(topic.arn),
    })
    this.answer = this.deskWith(front)
  }

  deskWith({ knownTargets, knownRoutingKeys, onPayload }: FrontSettings): OpenRoute['answer'] {
    const { submit, clock, reports } = this.#tools
    const choices = choicesOf(knownTargets, knownRoutingKeys)
    return topicDesk({
      ...{ topic: this.#topic, certificates: this.#certificates, confirmations: this.#confirmations, submit, clock },
      rawDelivery: this.settings.rawDelivery,
      overridesOf: (query) => overridesOf(query, choices),
      ...(onPayload === undefined ? {} : { onPayload }),
      report: reports.desk(() => this.subscription.heard()),
    })
  }

  /** Ends what is being fetched; those who wait for it are answered 503. */
  async close(): Promise<void> {
    this.subscription.stop()
    await this.#outbound.close()
  }
}
