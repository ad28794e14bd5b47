import type { DeliveryDetail } from '../../../../src/api/delivery.ts'
import type { IncidentDetail } from '../../../../src/api/incident.ts'
import type { ExplainStep } from '../../../../src/api/noise/explain.ts'
import { destinationName } from '../../../../src/domain/delivery/delivery.ts'
import type { Recognized } from '../../../../src/domain/incident.ts'
import type { Decision } from '../../../../src/policy/decision.ts'
import type { Explanation as PolicyExplanation } from '../../../../src/policy/explain.ts'

export const EMPTY = { subject: '', at: null, line: null, digest: null, silence: null } as const

export function recognisedStep(fields: Recognized): ExplainStep {
  const { sender, title, service, severity, status, fingerprint } = fields
  const named = { title, service, severity, status, fingerprint }
  const because = Object.entries(named).map(([name, value]) => `${name} ${value === '' ? '(none)' : value}`)
  return { ...EMPTY, stage: 'recognised', verdict: sender.replaceAll('_', ' '), because: because.join('; ') }
}

/** Says which idempotency key leads to a stored incident. A repeated request makes no incident. */
export function idempotencyStep(key: string | undefined): ExplainStep {
  const step = { ...EMPTY, stage: 'idempotency' } as const
  if (key !== undefined)
    return {
      ...step,
      verdict: 'first',
      because: `of the requests with the key ${key}; those that repeat it within 24 h are answered with this incident`,
    }
  const because =
    'no key leads to it: its request had none or was more than 24 h ago, or it was not the first incident of the request'
  return { ...step, verdict: 'no key', because }
}

type PolicyStep = PolicyExplanation['steps'][number]

const STAGES = {
  route: 'route',
  overrides: 'override',
  destinations: 'destination',
  priority: 'priority',
  group: 'group',
  'on-call': 'on-call',
} as const satisfies Record<PolicyStep['stage'], ExplainStep['stage']>

const explainStep = ({ stage, verdict, because, rule = '', line }: PolicyStep): ExplainStep => ({
  ...EMPTY,
  stage: STAGES[stage],
  subject: rule,
  verdict,
  because,
  line: line ?? null,
})

/** Returns the steps up to the destinations: rules that were looked at, choices of the request, priority. */
export const decidedSteps = (steps: readonly PolicyStep[]): ExplainStep[] =>
  steps
    .filter(({ stage, verdict }) => stage !== 'destinations' && stage !== 'on-call' && verdict !== 'not reached')
    .map(explainStep)

export const pageSteps = (steps: readonly PolicyStep[]): ExplainStep[] =>
  steps.filter(({ stage }) => stage === 'on-call').map(explainStep)

/** Returns the rules that decided under an earlier configuration. */
export function keptSteps(decision: Decision | undefined): ExplainStep[] {
  const kept = { ...EMPTY, stage: 'route' } as const
  if (decision === undefined)
    return [{ ...kept, verdict: 'default', because: 'no rule of the configuration of then matched' }]
  const because = 'it matched under the configuration of then; rules that did not are not kept'
  return decision.rules.map(({ name, where }) => ({ ...kept, subject: name, verdict: 'match', because, line: where }))
}

export const NOBODY: ExplainStep = {
  ...EMPTY,
  stage: 'destination',
  verdict: 'nobody',
  because: 'the rule leads nowhere, or to channels that are not enabled; the incident is kept',
}

/** Returns how each delivery of a stored incident went. */
export const deliverySteps = ({ deliveries, created_at }: IncidentDetail): ExplainStep[] =>
  deliveries.length === 0 ? [NOBODY] : deliveries.map((delivery) => deliveryStep(delivery, Date.parse(created_at)))

function deliveryStep(delivery: DeliveryDetail, createdAt: number): ExplainStep {
  const { state, via, attempts, reason } = delivery
  const last = attempts.at(-1)
  const confirmed = last === undefined ? null : Date.parse(last.started_at) + last.duration_ms
  const toldAt = via === null ? (state === 'sent' ? confirmed : null) : timeOf(via.notified_at)
  return {
    ...EMPTY,
    stage: reason === null ? 'destination' : 'fallback',
    subject: destinationName(delivery),
    verdict: state,
    because: [
      reason ?? '',
      placeText(delivery),
      toldAt === null ? '' : `after ${seconds(toldAt - createdAt)}`,
      troubleText(delivery),
    ]
      .filter((part) => part !== '')
      .join('; '),
    at: toldAt === null ? null : new Date(toldAt).toISOString(),
    digest: via?.digest ?? null,
  }
}

const timeOf = (iso: string | null) => (iso === null ? null : Date.parse(iso))

function placeText({ via, attempts, next_attempt_at, state }: DeliveryDetail): string {
  if (via === null) {
    const next = state === 'pending' && next_attempt_at !== null ? `, the next at ${next_attempt_at}` : ''
    return `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}${next}`
  }
  const told = via.update === null ? 'no update has it yet' : `notified by update ${via.update}`
  return `${FOLDED_WHY[via.kind]}: digest ${via.digest}, place ${via.place}, ${told}`
}

function troubleText({ attempts, dead_reason, may_duplicate }: DeliveryDetail): string {
  const last = attempts.at(-1)
  const parts = [
    dead_reason !== null && `given up: ${dead_reason}`,
    dead_reason === null && last !== undefined && last.outcome !== 'sent' && `last answer: ${last.detail}`,
    (last?.limiter_wait_ms ?? 0) >= 1_000 && `waited ${seconds(last?.limiter_wait_ms ?? 0)} for the rate limit`,
    last?.render_fault != null && `the template failed, so plain text was sent: ${last.render_fault}`,
    may_duplicate && 'it may have arrived twice',
  ]
  return parts.filter((part) => part !== false).join('; ')
}

export const JOINED =
  'an earlier incident of the same fingerprint pages for it, or a person has acknowledged the problem'

/** Returns how the escalation of a stored incident went. */
export function escalationStep({ oncall, oncall_error }: IncidentDetail): ExplainStep {
  if (oncall === null) return { ...EMPTY, stage: 'on-call', verdict: 'no', because: 'the incident does not page' }
  const { state, due_at, provider, paged_at, late_ms } = oncall
  const because = [
    state === 'joined' ? JOINED : paged_at === null ? `due at ${due_at}` : `${provider ?? 'the provider'} was paged`,
    late_ms !== null && late_ms >= 1_000 ? `${seconds(late_ms)} late` : '',
    oncall_error ?? '',
  ].filter((part) => part !== '')
  return { ...EMPTY, stage: 'on-call', verdict: state, because: because.join('; '), at: paged_at }
}

/** Returns what people did to the problem of a stored incident, from where, the first first. */
export const answerSteps = ({ answers }: IncidentDetail): ExplainStep[] =>
  answers.toReversed().map(({ action, via, actor, place, result, silence, at }) => ({
    ...EMPTY,
    stage: 'answer',
    subject: action.replaceAll('_', ' '),
    verdict: result,
    because: `${actor}, by ${via}${place === '' ? '' : ` in ${place}`}`,
    at,
    silence,
  }))

export const seconds = (ms: number) => `${Math.max(0, Math.round(ms / 100) / 10)} s`

const FOLDED_WHY = {
  storm: 'more came than its readers can follow',
  repeats: 'its problem fired already, and it is neither louder nor about another alert',
  flapping: 'its problem flaps',
  group: 'the message of its group tells of it',
} as const
