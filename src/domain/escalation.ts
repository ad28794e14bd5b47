import type { DispatchVerdict } from './delivery.ts'

/** Signals that a pager provider takes. */
export const SIGNALS = ['trigger', 'acknowledge', 'resolve'] as const
export type Signal = (typeof SIGNALS)[number]

/**
 * Phases of an incident's escalation:
 *
 *     armed          the timer runs; leaves to paging, acknowledged, resolved, cancelled, held
 *     paging         the page is due or on its way; leaves to paged, failed, acknowledged, resolved, cancelled
 *     paged          the provider took the page; leaves to acknowledged, resolved
 *     failed         the page is dead; leaves to acknowledged, resolved
 *     acknowledged   a person took the incident; leaves to resolved
 *     resolved       the incident is over
 *     cancelled      on-call was switched off before the page went out
 *     joined         another incident of the fingerprint pages for it: in a storm no later; leaves to resolved
 *     held           waits for the end of a silence; leaves to armed with the full wait then, to joined when a newer
 *                    incident of the fingerprint is held, to acknowledged, resolved, cancelled
 *
 * An incident that leaves armed or held to acknowledged or resolved was not paged.
 */
export type Phase =
  | 'armed'
  | 'paging'
  | 'paged'
  | 'failed'
  | 'acknowledged'
  | 'resolved'
  | 'cancelled'
  | 'joined'
  | 'held'

/** The next signal for the provider. */
interface NextSignal {
  readonly signal: Signal
  /** Earliest time, epoch milliseconds. */
  readonly at: number
  /** Attempts made for this signal. */
  readonly attempts: number
  /** in flight: leased to the pager, outcome unknown. */
  readonly state: 'waiting' | 'in flight'
}

export interface Escalation {
  readonly phase: Phase
  /** Absent: no signal is left to send. */
  readonly next?: NextSignal
  /** maybe: a trigger was sent and its outcome is unknown. */
  readonly providerKnows: 'no' | 'maybe' | 'yes'
}

export type EscalationEvent =
  | { readonly kind: 'claimed' }
  | {
      readonly kind: 'settled'
      readonly verdict: DispatchVerdict
      readonly attempted: boolean
      readonly mayDuplicate: boolean
    }
  /** The pager died with the signal, so its outcome is unknown. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'resolved' }
  /** On-call was switched off. */
  | { readonly kind: 'switched off' }
  /** A silence that fits the incident began. */
  | { readonly kind: 'silenced' }
  /** The silence ended: the timer is due at `dueAt`, epoch milliseconds. */
  | { readonly kind: 'released'; readonly dueAt: number }
  /** A newer incident of the fingerprint is held. */
  | { readonly kind: 'superseded' }

/** Actions that the live tail shows. */
type OncallAction = 'armed' | 'paged' | 'failed' | 'acknowledged' | 'resolved' | 'cancelled' | 'held'

export type Effect =
  /** `paged` may follow a later phase: the page was in flight when a person acknowledged. */
  | { readonly kind: 'announce'; readonly action: OncallAction }
  /** A signal is dead: a notice goes through the channels. */
  | { readonly kind: 'notice'; readonly signal: Signal; readonly reason: string }

type Step = readonly [Escalation, readonly Effect[]]

/** The state when the timer is armed. */
export function armed(dueAt: number): Escalation {
  return { phase: 'armed', next: { signal: 'trigger', at: dueAt, attempts: 0, state: 'waiting' }, providerKnows: 'no' }
}

/** Decides which signal the provider gets and when: a pure step. `now` in epoch milliseconds. */
export function step(was: Escalation, event: EscalationEvent, now: number): Step {
  switch (event.kind) {
    case 'claimed':
      return claimed(was)
    case 'settled':
      return pageSettled(was, event, now)
    case 'lost':
      return [wasInFlight(was) ? withNextSignal({ ...was, providerKnows: atLeastMaybe(was) }, now) : was, []]
    case 'acknowledged':
      return OPEN.has(was.phase) ? moved(was, 'acknowledged', now) : [was, []]
    case 'resolved':
      return OPEN.has(was.phase) || was.phase === 'acknowledged' ? moved(was, 'resolved', now) : [was, []]
    case 'switched off':
      return UNPAGED.has(was.phase) ? moved(was, 'cancelled', now) : [withoutSignal(was), []]
    case 'silenced':
      return was.phase === 'armed' && !wasInFlight(was) ? moved(was, 'held', now) : [was, []]
    case 'released':
      return was.phase === 'held' ? [armed(event.dueAt), announced('armed')] : [was, []]
    case 'superseded':
      return was.phase === 'held' ? [ended(was, 'joined'), []] : [was, []]
    default:
      return event satisfies never
  }
}

/** Phases before a person took the incident. */
const OPEN: ReadonlySet<Phase> = new Set<Phase>(['armed', 'paging', 'paged', 'failed', 'held'])
/** Phases before the page. */
const UNPAGED: ReadonlySet<Phase> = new Set<Phase>(['armed', 'paging', 'held'])

/** Signal that brings the provider up to date with a phase, when it knows of the incident. */
const WANTED: { readonly [P in Phase]?: Signal } = {
  armed: 'trigger',
  paging: 'trigger',
  acknowledged: 'acknowledge',
  resolved: 'resolve',
}

function claimed(was: Escalation): Step {
  if (was.next?.state !== 'waiting') return [was, []]
  const phase = was.phase === 'armed' ? 'paging' : was.phase
  return [{ ...was, phase, next: { ...was.next, state: 'in flight' } }, []]
}

function pageSettled(was: Escalation, event: Extract<EscalationEvent, { kind: 'settled' }>, now: number): Step {
  const { next } = was
  if (!wasInFlight(was) || !next) return [was, []]
  const { verdict, attempted, mayDuplicate } = event
  const providerKnows = verdict.state === 'sent' ? 'yes' : mayDuplicate ? atLeastMaybe(was) : was.providerKnows
  const updated = { ...was, providerKnows } as const
  if (next.signal !== WANTED[was.phase]) {
    const paged = next.signal === 'trigger' && verdict.state === 'sent'
    return [withNextSignal(updated, now), paged ? announced('paged') : []]
  }
  switch (verdict.state) {
    case 'sent':
      return next.signal === 'trigger' ? [ended(updated, 'paged'), announced('paged')] : [ended(updated, was.phase), []]
    case 'dead': {
      const notice = { kind: 'notice', signal: next.signal, reason: verdict.reason } as const
      return [ended(updated, next.signal === 'trigger' ? 'failed' : was.phase), [...announced('failed'), notice]]
    }
    case 'pending': {
      const attempts = next.attempts + (attempted ? 1 : 0)
      return [{ ...updated, next: { ...next, at: verdict.at, attempts, state: 'waiting' } }, []]
    }
    case 'released':
      return [withNextSignal(updated, now), []]
    default:
      return verdict satisfies never
  }
}

/** A signal in flight goes on; its outcome decides which signal the new phase needs. */
function moved(was: Escalation, phase: Phase & OncallAction, now: number): Step {
  const next = { ...was, phase }
  return [wasInFlight(was) ? next : withNextSignal(next, now), announced(phase)]
}

/** With no signal in flight: the same signal again, or the one of the current phase, or none. */
function withNextSignal({ phase, providerKnows, next }: Escalation, now: number): Escalation {
  const signal = WANTED[phase]
  if (signal === undefined || (signal !== 'trigger' && providerKnows === 'no')) return { phase, providerKnows }
  if (next?.signal === signal) return { phase, providerKnows, next: { ...next, state: 'waiting' } }
  return { phase, providerKnows, next: { signal, at: now, attempts: 0, state: 'waiting' } }
}

const ended = ({ providerKnows }: Escalation, phase: Phase): Escalation => ({ phase, providerKnows })
const withoutSignal = (was: Escalation): Escalation => (wasInFlight(was) ? was : ended(was, was.phase))
const wasInFlight = ({ next }: Escalation) => next?.state === 'in flight'
const atLeastMaybe = ({ providerKnows }: Escalation) => (providerKnows === 'yes' ? 'yes' : 'maybe')
const announced = (action: OncallAction): readonly Effect[] => [{ kind: 'announce', action }]

/** The provider may have the page, or a person has taken the incident. */
export const isKnown = (escalation: Escalation): boolean =>
  escalation.providerKnows !== 'no' || escalation.phase === 'acknowledged' || wasInFlight(escalation)

/**
 * Returns why the incident is not finished: a signal is to be sent, now or after a silence, or its page is open at the
 * provider or with a person. Of open pages the newest of a problem counts.
 */
export function unfinishedFor({ phase, next, providerKnows }: Escalation): 'signal' | 'page' | undefined {
  if (next !== undefined || phase === 'held') return 'signal'
  if (phase === 'failed') return providerKnows === 'no' ? undefined : 'page'
  return phase === 'paged' || phase === 'acknowledged' ? 'page' : undefined
}
