import type { TestContext } from 'node:test'
import { type TopicHandlerDeps, topicHandler } from '../../actors/main/topic/deliveries.ts'
import { topicReports } from '../../actors/main/topic/reports.ts'
import { topicOf } from '../../src/domain/topic.ts'
import type { Submit } from '../../src/http/contract.ts'
import { openOverrides } from '../../src/http/parameters.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { signersOf } from '../../src/topic/addresses.ts'
import { Certificates } from '../../src/topic/certificates.ts'
import { Confirmations } from '../../src/topic/confirmations.ts'
import { openOutbound } from '../../src/topic/outbound.ts'
import { HEADERS } from '../../src/topic/payload.ts'
import { memoryLog } from '../harness/system.ts'
import { type Answer, serve, type TakenIntake, takeAll } from '../http/harness.ts'
import type { Identity } from './authority.ts'
import { type Internet, startInternet } from './internet.ts'
import { ARN, type Fields, HOST, signed } from './messages.ts'

export interface TopicSetup {
  readonly net: Internet
  readonly signer: Identity
  readonly log: ReturnType<typeof memoryLog>
  /** Requests that were accepted. */
  readonly intakes: TakenIntake[]
  send(message: Fields | string, headers?: { readonly [name: string]: string }, query?: string): Promise<Answer>
  sign(message: Fields): Fields
  /** Payloads that `alert.debug_body` would print. */
  readonly shown: string[]
  /** Creates another handler, with other certificates. */
  handler(certificates: TopicHandlerDeps['certificates']): ReturnType<typeof topicHandler>
}

interface Options {
  readonly arn?: string
  readonly rawDelivery?: boolean
  readonly submit?: Submit
  readonly deadlineMs?: number
}

/** Starts a front with the topic handler, and a proxy that stands in for the hosts of the topic service. */
export async function setup(t: TestContext, options: Options = {}): Promise<TopicSetup> {
  const { arn = ARN, rawDelivery = false, deadlineMs = 5_000 } = options
  const net = await startInternet(t)
  const { signer } = net
  net.answer = ({ host, url }) => {
    if (host !== HOST) return undefined
    return url.endsWith('.pem') ? { body: signer.pem } : { body: '<ConfirmSubscriptionResponse/>' }
  }
  const topic = topicOf(arn)
  if (topic === undefined) throw new Error(`not a topic: ${arn}`)
  const outbound = openOutbound()
  t.after(() => outbound.close())
  const log = memoryLog()
  const intakes: TakenIntake[] = []
  const shown: string[] = []
  const clock = systemClock
  const deps = { outbound, deadlineMs, elapsed: () => clock.elapsed() }
  const chatws = { names: ['night'], ids: new Map(), enabled: true }
  const read = openOverrides({ targets: { chatws }, strict: true })
  const confirmations = new Confirmations(deps)
  const reports = topicReports({ log, clock, refused: () => {}, warned: () => {} })
  const handlerWith: TopicSetup['handler'] = (certificates) =>
    topicHandler({
      topic,
      rawDelivery,
      clock,
      certificates,
      confirmations,
      submit: options.submit ?? takeAll(intakes),
      overridesOf: read,
      onPayload: (text) => shown.push(text),
      report: reports.handler(() => {}),
    })
  const answer = handlerWith(new Certificates({ ...deps, signers: signersOf(topic), now: () => clock.now() }))
  const { ask } = await serve(t, { publicRoutes: [{ method: 'POST', path: '/sns', headers: HEADERS, answer }] })
  const send: TopicSetup['send'] = (message, headers = {}, query = '') =>
    ask(`/sns${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain; charset=UTF-8', ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })
  return { net, signer, log, intakes, shown, handler: handlerWith, send, sign: (message) => signed(message, signer) }
}

export const certificatesAsked = ({ asked }: Internet) => asked.filter(({ url }) => url.endsWith('.pem')).length
