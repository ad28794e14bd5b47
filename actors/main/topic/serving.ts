import type { Topic } from '../../../src/domain/topic.ts'
import type { FrontSettings, PublicRoute, Submit } from '../../../src/http/contract.ts'
import { openOverrides } from '../../../src/http/parameters.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { scrub } from '../../../src/text/scrub.ts'
import { signersOf } from '../../../src/topic/addresses.ts'
import { Certificates } from '../../../src/topic/certificates.ts'
import { Confirmations } from '../../../src/topic/confirmations.ts'
import { openOutbound } from '../../../src/topic/outbound.ts'
import { subscribe } from '../../../src/topic/subscribe.ts'
import type { TopicSettings } from '../../wiring/settings.ts'
import { topicHandler } from './deliveries.ts'
import type { TopicReports } from './reports.ts'
import { TopicSubscription } from './subscription.ts'

interface TopicServingDeps {
  readonly submit: Submit
  readonly clock: Clock
  readonly reports: TopicReports
}

/** For each request to the topic service, which itself waits 15 s for the answer to a delivery. */
const DEADLINE_MS = 5_000

export type TopicServing = ReturnType<typeof serveTopic>

/** Serves one topic. Loaded only when a topic is configured, because it brings the HTTP client along. */
export function serveTopic(topic: Topic, settings: TopicSettings, { submit, clock, reports }: TopicServingDeps) {
  const outbound = openOutbound()
  const common = { outbound, deadlineMs: DEADLINE_MS, elapsed: () => clock.elapsed() }
  const certificates = new Certificates({ ...common, signers: signersOf(topic), now: () => clock.now() })
  const confirmations = new Confirmations(common)
  const subscription = new TopicSubscription({
    clock,
    random: Math.random,
    subscribe: () => subscribe({ ...settings, topic, endpoint: settings.endpoint + settings.path }, outbound),
    describeError: (error) => scrub(String(error), [settings.accessKeyId, settings.secretAccessKey]),
    report: reports.subscription(topic.arn),
  })
  return {
    settings,
    subscription,
    /** Made anew when the names that overrides may choose among change. */
    createHandler: ({ parameters, onPayload }: FrontSettings): PublicRoute['answer'] =>
      topicHandler({
        topic,
        certificates,
        confirmations,
        submit,
        clock,
        rawDelivery: settings.rawDelivery,
        overridesOf: openOverrides(parameters),
        ...(onPayload === undefined ? {} : { onPayload }),
        report: reports.handler(() => subscription.messageReceived()),
      }),
    /** Ends requests to the topic service; deliveries that wait for one are answered 503. */
    async close(): Promise<void> {
      subscription.stop()
      await outbound.close()
    },
  }
}
