/** What a pager can be told of a problem. */
export const SIGNALS = ['trigger', 'acknowledge', 'resolve'] as const
export type Signal = (typeof SIGNALS)[number]

/**
 * Where an incident stands with the on-call person:
 *
 *     armed -> paging -> paged --> acknowledged -> resolved
 *                    `-> failed -^
 *
 * A person or a resolution may come at any time; from `armed` straight to `acknowledged` or `resolved` nobody was
 * paged. `cancelled`: on-call was switched off before anybody was paged.
 */
export type Phase = 'armed' | 'paging' | 'paged' | 'failed' | 'acknowledged' | 'resolved' | 'cancelled'

/** What the provider is to be told next. */
interface NextSignal {
  readonly signal: Signal
  /** Epoch milliseconds: not before. */
  readonly at: number
  /** Made so far to tell this signal. */
  readonly attempts: number
  /** under way: handed out, its outcome is not known yet. */
  readonly state: 'waiting' | 'in flight'
}

export interface Escalation {
  readonly phase: Phase
  /** Absent: the provider knows all that it is to know. */
  readonly next?: NextSignal
  /** Whether the provider knows of the problem; maybe: an outcome is unknown. */
  readonly providerKnows: 'no' | 'maybe' | 'yes'
}

/** How one attempt to tell the provider ended. */
export type PageVerdict =
  | { readonly state: 'sent' }
  | { readonly state: 'pending'; readonly at: number }
  | { readonly state: 'dead'; readonly reason: string }
  /** Given back untried. */
  | { readonly state: 'released' }

export type EscalationEvent =
  | { readonly kind: 'claimed' }
  | {
      readonly kind: 'settled'
      readonly verdict: PageVerdict
      readonly attempted: boolean
      readonly mayDuplicate: boolean
    }
  /** Whoever was to tell is gone, and with it the outcome. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'resolved' }
  /** There is no on-call any more. */
  | { readonly kind: 'switched off' }

/** What people are to hear of: the words of the live tail. */
type OncallAction = 'armed' | 'paged' | 'failed' | 'acknowledged' | 'resolved' | 'cancelled'

export type Effect =
  /** `paged` may come after a later phase: the page was under way when somebody took the incident. */
  | { readonly kind: 'announce'; readonly action: OncallAction }
  /** The provider could not be told: the channels are. */
  | { readonly kind: 'notice'; readonly signal: Signal; readonly reason: string }

type Step = readonly [Escalation, readonly Effect[]]

/** The timer as it is armed. */
export function armed(dueAt: number): Escalation {
  return { phase: 'armed', next: { signal: 'trigger', at: dueAt, attempts: 0, state: 'waiting' }, providerKnows: 'no' }
}

/** The one place where it is decided what the provider is told and when; `now` in epoch milliseconds. */
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
      return was.phase === 'armed' || was.phase === 'paging' ? moved(was, 'cancelled', now) : [silenced(was), []]
    default:
      return event satisfies never
  }
}

/** Phases in which nobody has taken the problem yet. */
const OPEN: ReadonlySet<Phase> = new Set<Phase>(['armed', 'paging', 'paged', 'failed'])

/** What the provider is to know in each phase, once it has heard of the problem at all. */
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

/** What is under way goes on; its outcome decides what the provider has to hear of the new phase. */
function moved(was: Escalation, phase: Phase & OncallAction, now: number): Step {
  const next = { ...was, phase }
  return [wasInFlight(was) ? next : withNextSignal(next, now), announced(phase)]
}

/** Nothing is under way any more: the same again, or what is wanted by now, or nothing. */
function withNextSignal({ phase, providerKnows, next }: Escalation, now: number): Escalation {
  const signal = WANTED[phase]
  if (signal === undefined || (signal !== 'trigger' && providerKnows === 'no')) return { phase, providerKnows }
  if (next?.signal === signal) return { phase, providerKnows, next: { ...next, state: 'waiting' } }
  return { phase, providerKnows, next: { signal, at: now, attempts: 0, state: 'waiting' } }
}

const ended = ({ providerKnows }: Escalation, phase: Phase): Escalation => ({ phase, providerKnows })
const silenced = (was: Escalation): Escalation => (wasInFlight(was) ? was : ended(was, was.phase))
const wasInFlight = ({ next }: Escalation) => next?.state === 'in flight'
const atLeastMaybe = ({ providerKnows }: Escalation) => (providerKnows === 'yes' ? 'yes' : 'maybe')
const announced = (action: OncallAction): readonly Effect[] => [{ kind: 'announce', action }]
