import type { AnswerRecord } from '../../src/api/answer.ts'
import type { Settlement } from '../../src/domain/delivery/dispatch.ts'
import type {
  AnswerEvent,
  DeliveryEvent,
  DigestEvent,
  IncidentEvent,
  OnCallEvent,
  SilenceEvent,
} from '../../src/domain/event.ts'
import type { Draft } from '../../src/domain/incident.ts'
import type { Effect } from '../../src/domain/page.ts'
import type { OncallPort } from '../../src/store/pages/port.ts'
import type { DigestChange } from '../../src/store/ports/noise.ts'
import type { OncallChange, OncallFacts } from '../../src/store/ports/oncall.ts'
import type { Settled } from '../../src/store/ports/outbox.ts'
import type { SilenceEdge } from '../../src/store/ports/silences.ts'
import { isoTime } from '../../src/text/iso-time.ts'

/** Settlements and, parallel to them, their effects. */
interface SettledBatch {
  readonly settlements: readonly Settlement[]
  readonly settled: readonly (Settled | undefined)[]
}

/** `at`: ISO 8601. */
export const incidentEvents = (drafts: readonly Draft[], at: string): IncidentEvent[] =>
  drafts.map((draft) => incidentEvent(draft, at))

/** Returns one event for each settlement that was an attempt of a leased delivery. */
export function deliveryEvents({ settlements, settled }: SettledBatch, at: string): DeliveryEvent[] {
  return settlements.flatMap((settlement, nth) => deliveryEvent(settlement, settled[nth], at) ?? [])
}

/** `at`: ISO 8601. */
export const digestEvents = (changes: readonly DigestChange[], at: string): DigestEvent[] =>
  changes.map(({ target = null, revision, action, folded, told, ...change }) => ({
    kind: 'digest',
    at,
    target,
    action: action === 'told' ? 'updated' : action,
    update: revision?.number ?? null,
    way: revision?.way ?? null,
    incidents: folded,
    notified: told,
    ...change,
  }))

/** Returns one event for each announced effect: changes of phase, and signals that the provider refused. */
export function oncallEvents(
  changes: readonly OncallChange[],
  { facts }: Pick<OncallPort, 'facts'>,
  at: string,
): OnCallEvent[] {
  return changes.flatMap(({ incident, effects, by = null }) => {
    const incidentFacts = effects.length === 0 ? undefined : facts(incident)
    if (incidentFacts === undefined) return []
    const { id: incident_id, title, severity } = incidentFacts
    const actions = effects.flatMap((effect) => (effect.kind === 'announce' ? [effect.action] : []))
    const detailOf = (action: OnCallEvent['action']) => oncallDetail(action, incidentFacts, effects)
    return actions.map(
      (action): OnCallEvent => ({
        kind: 'oncall',
        at,
        incident_id,
        title,
        severity,
        action,
        by,
        detail: detailOf(action),
      }),
    )
  })
}

export const silenceEvents = (edges: readonly SilenceEdge[], at: string): SilenceEvent[] =>
  edges.map((edge) => ({ kind: 'silence', at, ...edge }))

export const answerEvent = (record: AnswerRecord): AnswerEvent => {
  const { at, action, result, via, actor: by, problem, title, incident: incident_id } = record
  return { kind: 'answer', at, action, result, via, by, problem, title, incident_id }
}

function oncallDetail(action: OnCallEvent['action'], incidentFacts: OncallFacts, effects: readonly Effect[]): string {
  switch (action) {
    case 'held':
      return 'waits for the end of a silence'
    case 'armed':
      return incidentFacts.dueAt === null ? '' : `pages at ${isoTime(incidentFacts.dueAt)}`
    case 'paged':
      return incidentFacts.provider ?? ''
    case 'failed':
      return effects
        .flatMap((effect) => (effect.kind === 'notice' ? [`${effect.signal}: ${effect.reason}`] : []))
        .join()
    case 'acknowledged':
    case 'resolved':
    case 'cancelled':
      return incidentFacts.dueAt !== null && incidentFacts.provider === null ? 'before a page was sent' : ''
    default:
      return action satisfies never
  }
}

function incidentEvent(draft: Draft, at: string): IncidentEvent {
  const { id, title, service, severity, status, source, sender } = draft
  const created_at = isoTime(draft.createdAt)
  return { kind: 'incident', at, incident: { id, title, service, severity, status, source, sender, created_at } }
}

function deliveryEvent(
  { destination, attempt, verdict }: Settlement,
  settled: Settled | undefined,
  at: string,
): DeliveryEvent | undefined {
  if (settled?.kind !== 'delivery' || destination === 'oncall') return undefined
  if (attempt === undefined || verdict.state === 'released') return undefined
  const { incidentId: incident_id, title, severity, target, createdAt } = settled
  const confirmedMs = attempt.startedAt + attempt.durationMs - createdAt
  return {
    kind: 'delivery',
    at,
    incident_id,
    title,
    severity,
    channel: destination,
    target,
    state: verdict.state,
    attempt: settled.attempts,
    detail: attempt.detail,
    next_attempt_at: verdict.state === 'pending' ? isoTime(verdict.at) : null,
    accept_to_confirmed_ms: verdict.state === 'sent' ? Math.max(0, Math.round(confirmedMs)) : null,
  }
}
