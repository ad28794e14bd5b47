/** What a pager can be told of a problem. */
export type Signal = 'trigger' | 'acknowledge' | 'resolve'

/**
 * Where an incident stands with the on-call person:
 *
 *     armed -> paging -> paged --> acknowledged -> resolved
 *                    `-> failed -^
 *
 * A person or a resolution may come at any time; from `armed` straight to `acknowledged` or `resolved` nobody was paged. `cancelled`: on-call was
 * switched off before anybody was paged.
 */
export type Phase = 'armed' | 'paging' | 'paged' | 'failed' | 'acknowledged' | 'resolved' | 'cancelled'

/** What the provider is to be told next. */
export interface Telling {
  readonly signal: Signal
  /** Epoch milliseconds: not before. */
  readonly at: number
  /** Made so far to tell this signal. */
  readonly attempts: number
  /** under way: handed out, its outcome is not known yet. */
  readonly state: 'waiting' | 'under way'
}

export interface Escalation {
  readonly phase: Phase
  /** Absent: the provider knows all that it is to know. */
  readonly next?: Telling
  /** Whether the provider knows of the problem; maybe: an outcome is unknown. */
  readonly heard: 'no' | 'maybe' | 'yes'
}

/** How one attempt to tell the provider ended. */
export type ToldVerdict =
  | { readonly state: 'sent' }
  | { readonly state: 'pending'; readonly at: number }
  | { readonly state: 'dead'; readonly reason: string }
  /** Given back untried. */
  | { readonly state: 'returned' }

export type EscalationEvent =
  | { readonly kind: 'handed out' }
  | {
      readonly kind: 'told'
      readonly verdict: ToldVerdict
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
export type OncallAction = 'armed' | 'paged' | 'failed' | 'acknowledged' | 'resolved' | 'cancelled'

export type Effect =
  /** `paged` may come after a later phase: the page was under way when somebody took the incident. */
  | { readonly kind: 'announce'; readonly action: OncallAction }
  /** The provider could not be told: the channels are. */
  | { readonly kind: 'notice'; readonly signal: Signal; readonly reason: string }

type Step = readonly [Escalation, readonly Effect[]]

/** The timer as it is armed. */
export function armed(dueAt: number): Escalation {
  return { phase: 'armed', next: { signal: 'trigger', at: dueAt, attempts: 0, state: 'waiting' }, heard: 'no' }
}

/** The one place where it is decided what the provider is told and when; `now` in epoch milliseconds. */
export function step(was: Escalation, event: EscalationEvent, now: number): Step {
  switch (event.kind) {
    case 'handed out':
      return handedOut(was)
    case 'told':
      return told(was, event, now)
    case 'lost':
      return [wasUnderWay(was) ? settled({ ...was, heard: atLeastMaybe(was) }, now) : was, []]
    case 'acknowledged':
      return OPEN.has(was.phase) ? moved(was, 'acknowledged', now) : [was, []]
    case 'resolved':
      return OPEN.has(was.phase) || was.phase === 'acknowledged' ? moved(was, 'resolved', now) : [was, []]
    case 'switched off':
      return was.phase === 'armed' || was.phase === 'paging' ? moved(was, 'cancelled', now) : [hushed(was), []]
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

function handedOut(was: Escalation): Step {
  if (was.next?.state !== 'waiting') return [was, []]
  const phase = was.phase === 'armed' ? 'paging' : was.phase
  return [{ ...was, phase, next: { ...was.next, state: 'under way' } }, []]
}

function told(was: Escalation, event: Extract<EscalationEvent, { kind: 'told' }>, now: number): Step {
  const { next } = was
  if (!wasUnderWay(was) || !next) return [was, []]
  const { verdict, attempted, mayDuplicate } = event
  const heard = verdict.state === 'sent' ? 'yes' : mayDuplicate ? atLeastMaybe(was) : was.heard
  const known = { ...was, heard } as const
  if (next.signal !== WANTED[was.phase]) {
    const paged = next.signal === 'trigger' && verdict.state === 'sent'
    return [settled(known, now), paged ? announced('paged') : []]
  }
  switch (verdict.state) {
    case 'sent':
      return next.signal === 'trigger' ? [ended(known, 'paged'), announced('paged')] : [ended(known, was.phase), []]
    case 'dead': {
      const notice = { kind: 'notice', signal: next.signal, reason: verdict.reason } as const
      return [ended(known, next.signal === 'trigger' ? 'failed' : was.phase), [...announced('failed'), notice]]
    }
    case 'pending': {
      const attempts = next.attempts + (attempted ? 1 : 0)
      return [{ ...known, next: { ...next, at: verdict.at, attempts, state: 'waiting' } }, []]
    }
    case 'returned':
      return [settled(known, now), []]
    default:
      return verdict satisfies never
  }
}

/** What is under way goes on; its outcome decides what the provider has to hear of the new phase. */
function moved(was: Escalation, phase: Phase & OncallAction, now: number): Step {
  const next = { ...was, phase }
  return [wasUnderWay(was) ? next : settled(next, now), announced(phase)]
}

/** Nothing is under way any more: the same again, or what is wanted by now, or nothing. */
function settled({ phase, heard, next }: Escalation, now: number): Escalation {
  const signal = WANTED[phase]
  if (signal === undefined || (signal !== 'trigger' && heard === 'no')) return { phase, heard }
  if (next?.signal === signal) return { phase, heard, next: { ...next, state: 'waiting' } }
  return { phase, heard, next: { signal, at: now, attempts: 0, state: 'waiting' } }
}

const ended = ({ heard }: Escalation, phase: Phase): Escalation => ({ phase, heard })
const hushed = (was: Escalation): Escalation => (wasUnderWay(was) ? was : ended(was, was.phase))
const wasUnderWay = ({ next }: Escalation) => next?.state === 'under way'
const atLeastMaybe = ({ heard }: Escalation) => (heard === 'yes' ? 'yes' : 'maybe')
const announced = (action: OncallAction): readonly Effect[] => [{ kind: 'announce', action }]
