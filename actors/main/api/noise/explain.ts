import { isDeepStrictEqual } from 'node:util'
import type { IncidentDetail } from '../../../../src/api/incident.ts'
import type { ExplainStep, Explanation } from '../../../../src/api/noise/explain.ts'
import { type ChannelName, destinationName } from '../../../../src/domain/delivery/delivery.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { Overrides, Payload, Recognized, Source } from '../../../../src/domain/incident.ts'
import { severityRank } from '../../../../src/domain/severity.ts'
import type { AdminRequest, AdminRoute } from '../../../../src/http/contract.ts'
import { openOverrides } from '../../../../src/http/parameters.ts'
import type { Decision } from '../../../../src/policy/decision.ts'
import type { Subject } from '../../../../src/policy/fields.ts'
import type { SenderState } from '../../../messages/send-queries.ts'
import type { SystemSettings } from '../../../wiring/settings.ts'
import { frontSettings } from '../../front-settings.ts'
import { objectOf, timeOf } from '../parameters.ts'
import { type RouteDeps, route } from '../route.ts'
import {
  answerSteps,
  decidedSteps,
  deliverySteps,
  EMPTY,
  escalationStep,
  idempotencyStep,
  keptSteps,
  recognisedStep,
  seconds,
} from './steps.ts'
import { trialSilenceStep } from './trial-silence.ts'
import { trialDestinationSteps, trialPageSteps } from './trial-steps.ts'

type ExplainDeps = Pick<RouteDeps, 'askStorage' | 'askSenders' | 'policy' | 'settings' | 'recognise' | 'now'>

/** Why an incident was told to whom, and what would be done with a payload. */
export function explainRoutes(deps: ExplainDeps): AdminRoute[] {
  return [
    route('GET', '/api/admin/incidents/:id/explain', ({ params }) => explainStored(deps, params.id ?? '')),
    route('POST', '/api/admin/explain', ({ body }) => explainTrial(deps, body)),
  ]
}

async function explainStored(deps: ExplainDeps, id: string): Promise<Explanation> {
  const { askStorage, recognise, policy } = deps
  const decided = await askStorage({ kind: 'decided', id })
  const incident = await askStorage({ kind: 'incident', id })
  if (decided === undefined || incident === undefined)
    throw new CodedError('not_found', 'no applied incident has this id')
  const payload = incident.content as Payload
  const recognised = recognise(payload)
  const overrides: Overrides | undefined = decided.overrides === undefined ? undefined : JSON.parse(decided.overrides)
  const { explain } = await policy()
  const subject = subjectOf(recognised, payload, incident.source)
  const { decision, steps } = explain(subject, overrides, Date.parse(incident.stages.committed_at))
  const isSame = isDeepStrictEqual(decision.rules, decided.decision?.rules ?? [])
  return {
    incident_id: id,
    title: incident.title,
    configuration: isSame ? 'now' : 'then',
    decisions: [
      recognisedStep(recognised),
      idempotencyStep(decided.key),
      await silenceStep(askStorage, incident),
      ...(isSame ? decidedSteps(steps) : keptSteps(decided.decision)),
      ...deliverySteps(incident),
      ...providerSteps(incident.deliveries, await providersOf(deps)),
      escalationStep(incident),
      ...answerSteps(incident),
    ],
  }
}

async function silenceStep(
  askStorage: ExplainDeps['askStorage'],
  { silence: id, notify_status }: IncidentDetail,
): Promise<ExplainStep> {
  const step = { ...EMPTY, stage: 'silence' } as const
  if (id === null) return { ...step, verdict: 'no', because: 'no silence that was active then fits it' }
  const found = await askStorage({ kind: 'silence', id })
  if (found === undefined) return { ...step, verdict: 'held', because: `silence ${id} held it; its record is deleted` }
  const { name, owner, text, line, state, ends_at, while_text } = found
  const until =
    state === 'ended'
      ? 'it has ended'
      : while_text === null
        ? `until ${ends_at ?? 'its end'}`
        : `while ${while_text} fires`
  const verdict = notify_status === 'silenced' ? 'silenced' : 'held'
  return {
    ...step,
    subject: name,
    verdict,
    because: `${text} fits; silence ${id} of ${owner}, ${until}`,
    line,
    silence: id,
  }
}

const subjectOf = (recognised: Recognized, payload: Payload, source: Source): Subject => ({
  ...recognised,
  source,
  content: Buffer.from(JSON.stringify(payload)),
})

async function providersOf({ askSenders, settings }: ExplainDeps) {
  // An explanation is of use also while nothing can be sent.
  const senders = await askSenders({ kind: 'senders' }).catch(() => undefined)
  return { senders, channels: settings().alert.channels }
}

async function explainTrial(deps: ExplainDeps, body: AdminRequest['body']): Promise<Explanation> {
  const { payload: given, query = {}, at } = objectOf(body, 'the body')
  const payload = objectOf(given, 'payload')
  const overrides = overridesIn(objectOf(query, 'query'), deps.settings())
  const now = at === undefined ? deps.now() : timeOf(at, 'at')
  const recognised = deps.recognise(payload)
  const { explain, groupOf } = await deps.policy()
  const subject = subjectOf(recognised, payload, 'webhook')
  const { decision, steps } = explain(subject, overrides, now)
  const silence = await trialSilenceStep(deps.askStorage, subject, now)
  // The end of a problem that a destination was told of passes.
  const heldBy = recognised.status === 'firing' ? (silence.silence ?? undefined) : undefined
  const decided = heldBy === undefined ? decision : { ...decision, destinations: [] }
  const { group } = decision
  const repeat = await tryRepeat(deps, recognised, decided, group && groupOf(subject, group)?.key)
  const trial = { decision, repeat, heldBy }
  return {
    incident_id: null,
    title: recognised.title,
    configuration: 'now',
    decisions: [
      recognisedStep(recognised),
      silence,
      ...decidedSteps(steps),
      ...trialDestinationSteps(trial, await deps.askStorage({ kind: 'destinations' })),
      ...providerSteps(decision.destinations, await providersOf(deps)),
      ...trialPageSteps(trial, steps),
      ...(heldBy === undefined && !repeat?.joins ? await escalationSteps(deps, decision, subject, now) : []),
    ],
  }
}

/** Loads nothing where no escalation pages. */
async function escalationSteps(deps: ExplainDeps, { page }: Decision, { severity }: Subject, now: number) {
  if (page?.escalation === undefined) return []
  const { askedSteps } = await import('../oncall/asked-steps.ts')
  const { escalation, waitMs } = page
  return askedSteps(deps, { escalation, waitMs, level: severityRank(severity), now })
}

function tryRepeat(
  { askStorage }: ExplainDeps,
  recognised: Recognized,
  { destinations, page, priority }: Decision,
  key: string | undefined,
) {
  const { fingerprint, severity, status, sender, members, changedAt } = recognised
  const facts = { fingerprint, severity, status, sender, members, changedAt }
  const group = key === undefined ? undefined : { key, priority }
  return askStorage({ kind: 'tryRepeat', trial: { ...facts, destinations, page, priority, group } })
}

function overridesIn(query: Payload, settings: SystemSettings): Overrides | undefined {
  const texts = Object.entries(query).map(([name, value]): [string, string] => {
    if (typeof value === 'object')
      throw new CodedError('bad_parameter', `query: the value of ${JSON.stringify(name)} must be text`)
    return [name, String(value)]
  })
  return openOverrides(frontSettings(settings).parameters)(new URLSearchParams(texts).toString())
}

/** A destination of a stored delivery or of a decision. */
interface Place {
  readonly channel: ChannelName
  /** null or absent: the channel's default one. */
  readonly target?: string | null
}

interface ProviderState {
  /** Undefined: the send thread is not up. */
  readonly senders: readonly SenderState[] | undefined
  readonly channels: SystemSettings['alert']['channels']
}

/** Returns the rate limit and the circuit of each destination as they are now, whatever they were when it was sent to. */
const providerSteps = (places: readonly Place[], state: ProviderState): ExplainStep[] =>
  places.map((place) => providerStep(place, state))

function providerStep({ channel, target = null }: Place, { senders, channels }: ProviderState): ExplainStep {
  const step = { ...EMPTY, stage: 'provider', subject: destinationName({ channel, target }) } as const
  const { enable, rate } = channels[channel]
  if (!enable) return { ...step, verdict: 'off', because: 'as configured now, the channel is not enabled' }
  if (senders === undefined) return { ...step, verdict: 'unknown', because: 'the thread that sends is not up' }
  const states = senders.find((sender) => sender.channel === channel)?.destinations ?? []
  const state = states.find(({ destination }) => destination === (target ?? 'default'))
  const because = [
    `as configured now, it is sent ${rate.perSecond} a second, ${rate.burst} at once`,
    `${state?.waiting ?? 0} wait for this limit`,
    ...(state?.circuit === 'open' ? [`after failures it is tried again in ${seconds(state.retryInMs)}`] : []),
  ]
  return {
    ...step,
    verdict: `circuit ${(state?.circuit ?? 'closed').replace('_', ' ')}`,
    because: because.join('; '),
  }
}
