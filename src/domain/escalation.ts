import {
  type Covered,
  type OncallAction,
  type Page,
  type PageChange,
  type PageEvent,
  type Phase,
  type Signal,
  STANDS_MS,
  type Stand,
  type Timer,
} from './page.ts'

type Step = readonly [Page, readonly PageChange[]]

/** Alerts of a group that are known; of more, the oldest are forgotten. */
const MAX_MEMBERS = 256

/**
 * Decides which signal the provider gets and when: a pure step. `now` in epoch milliseconds. Returns undefined when nothing is
 * left of the page, and what became of its incidents.
 */
export function pageStep(was: Page, event: PageEvent, now: number): [Page | undefined, readonly PageChange[]] {
  const [is, changes] = stepped(was, event, now)
  const page = isInFlight(is) ? is : scheduled(is, now)
  return [page.stand || page.timer || page.next ? page : undefined, changes]
}

function stepped(was: Page, event: PageEvent, now: number): Step {
  switch (event.kind) {
    case 'armed':
    case 'held':
      return timed(was, { ...event.timer, state: event.kind })
    case 'claimed':
      return claimed(was, event.provider, now)
    case 'settled':
      return settled(was, event, now)
    case 'lost':
      return [isInFlight(was) ? fresh({ ...was, providerKnows: atLeastMaybe(was) }, now) : was, []]
    case 'acknowledged':
    case 'resolved':
      return moved(was, event.kind, now)
    case 'flapped':
      return isKnown(was) ? ended({ ...was, timer: undefined }, 'resolved', [was.timer]) : moved(was, 'resolved', now)
    case 'switched off':
      return switchedOff(was, event.isMute)
    case 'provider changed':
      return [
        { ...was, providerKnows: 'no', ...(was.stand?.phase !== 'paging' && { stand: undefined, next: undefined }) },
        [],
      ]
    case 'silenced': {
      const { timer } = was
      return timer?.state === 'armed'
        ? ended({ ...was, timer: { ...timer, state: 'held' } }, 'held', [timer])
        : [was, []]
    }
    case 'released': {
      const { timer } = was
      if (timer?.state !== 'held') return [was, []]
      return ended({ ...was, timer: { ...timer, state: 'armed', dueAt: event.dueAt } }, 'armed', [timer])
    }
    default:
      return event satisfies never
  }
}

function timed(was: Page, timer: Timer): Step {
  const known = was.timer
  const changes = [announced(timer.state, timer)]
  if (known === undefined) return [{ ...was, timer }, changes]
  const takes = known.state === timer.state ? together(known, timer) : undefined
  const dueAt = takes && timer.state === 'armed' ? Math.min(known.dueAt, timer.dueAt) : timer.dueAt
  return [{ ...was, timer: { ...timer, ...takes, dueAt } }, [joined(known), ...changes]]
}

/** The timer of a page that is due is done: what it tells of adds up with what the page stood for. */
function claimed(was: Page, provider: string, now: number): Step {
  const { next, stand, timer } = was
  if (next?.state !== 'waiting') return [was, []]
  const is = { ...was, next: { ...next, state: 'in flight' } } as const
  if (next.signal !== 'trigger') return [is, []]
  if (timer?.state !== 'armed' || (stand?.phase === 'paging' && timer.dueAt > now)) return [{ ...is, provider }, []]
  const { incident, dueAt } = timer
  const paging = { ...covered(stand, timer), phase: 'paging', incident, until: dueAt + STANDS_MS } as const
  const changes = [
    ...(stand?.phase === 'paging' ? [joined(stand)] : []),
    { incident, phase: 'paging', effects: [] } as const,
  ]
  return [{ ...is, provider, stand: paging, timer: undefined }, changes]
}

function settled(was: Page, event: Extract<PageEvent, { kind: 'settled' }>, now: number): Step {
  const { stand, next } = was
  if (next?.state !== 'in flight' || stand === undefined) return [was, []]
  const { verdict, attempted, mayDuplicate } = event
  const providerKnows = verdict.state === 'sent' ? 'yes' : mayDuplicate ? atLeastMaybe(was) : was.providerKnows
  const is = { ...was, providerKnows } as const
  const { signal } = next
  if (signal !== WANTED[stand.phase]) {
    const { phase: _, ...paged } = announced('paged', stand)
    return [fresh(is, now), signal === 'trigger' && verdict.state === 'sent' ? [paged] : []]
  }
  switch (verdict.state) {
    case 'sent':
      if (signal !== 'trigger') return [upToDate(is, signal), []]
      return [{ ...is, stand: { ...stand, phase: 'paged' }, next: undefined }, [announced('paged', stand)]]
    case 'dead': {
      const { phase, ...failed } = announced('failed', stand)
      const effects = [...failed.effects, { kind: 'notice', signal, reason: verdict.reason } as const]
      if (signal !== 'trigger') return [upToDate(is, signal), [{ ...failed, effects }]]
      return [{ ...is, stand: { ...stand, phase }, next: undefined }, [{ ...failed, phase, effects }]]
    }
    case 'pending': {
      const attempts = next.attempts + (attempted ? 1 : 0)
      return [{ ...is, next: { signal, at: verdict.at, attempts, state: 'waiting' } }, []]
    }
    case 'released':
      return [fresh(is, now), []]
    default:
      return verdict satisfies never
  }
}

/** A person took the problem, also while only a timer ran; or it is over. A signal in flight goes on. */
function moved(was: Page, phase: 'acknowledged' | 'resolved', now: number): Step {
  const { stand, timer } = was
  const ends = [stand && MOVES[phase].has(stand.phase) ? stand : undefined, timer]
  const about = isInFlight(was) ? stand : (ends[0] ?? timer)
  if (about === undefined || ends.every((each) => each === undefined)) return [was, []]
  const until = Math.max(stand?.until ?? 0, timer === undefined ? 0 : Math.min(timer.dueAt, now) + STANDS_MS)
  const is = { ...was, timer: undefined, stand: { ...covered(stand, timer), phase, incident: about.incident, until } }
  return ended(isInFlight(was) ? is : fresh(is, now), phase, ends)
}

/** Cancels timers. A page that the provider has stays open there; with `isMute` only its end is to be sent. */
function switchedOff(was: Page, isMute: boolean): Step {
  const { stand, timer } = was
  const paging = stand?.phase === 'paging' ? stand : undefined
  const isOver = stand?.phase === 'resolved'
  const is = {
    ...was,
    timer: undefined,
    ...(paging && { stand: undefined }),
    ...((paging || (isMute && !isOver)) && { next: undefined }),
  }
  return ended(is, 'cancelled', [paging, timer])
}

/** Signal that brings the provider up to date with a phase; all but a trigger when it may know of the problem. */
const WANTED: { readonly [P in Stand['phase']]?: Signal } = {
  paging: 'trigger',
  acknowledged: 'acknowledge',
  resolved: 'resolve',
}

/** Phases that a person, and the end of the problem, move. */
const MOVES = {
  acknowledged: new Set<Phase>(['paging', 'paged', 'failed']),
  resolved: new Set<Phase>(['paging', 'paged', 'failed', 'acknowledged']),
} as const

/** Phases in which a page stands for later incidents. */
const STANDS: ReadonlySet<Phase> = new Set<Phase>(['paging', 'paged', 'acknowledged'])

/** With no signal in flight: the same signal again, or the one of the current phase, or none. */
function fresh(page: Page, now: number): Page {
  const { stand, next, providerKnows } = page
  const signal = stand && WANTED[stand.phase]
  if (signal === undefined || (signal !== 'trigger' && providerKnows === 'no')) return { ...page, next: undefined }
  const again = next?.signal === signal ? next : { signal, at: now, attempts: 0 }
  return { ...page, next: { ...again, state: 'waiting' } }
}

/** The provider took the signal, or never will. Of a problem that is over it has nothing left. */
const upToDate = (page: Page, signal: Signal): Page =>
  signal === 'resolve'
    ? { ...page, next: undefined, stand: undefined, providerKnows: 'no' }
    : { ...page, next: undefined }

/** Completes a page: the timer's trigger comes after other signals, and before second attempts that are later. */
function scheduled(page: Page, now: number): Page {
  const { timer } = page
  const stand = page.stand?.phase === 'resolved' && page.providerKnows === 'no' ? undefined : page.stand
  const isOfTimer = page.next?.signal === 'trigger' && stand?.phase !== 'paging'
  const is = { ...page, stand, next: isOfTimer ? undefined : page.next }
  const { next } = is.next === undefined && stand?.phase === 'resolved' ? fresh(is, now) : is
  if (timer?.state !== 'armed') return { ...is, next }
  const isFirst = next === undefined || (timer.dueAt <= next.at && (next.attempts > 0 || next.at > now))
  return { ...is, next: isFirst ? { signal: 'trigger', at: timer.dueAt, attempts: 0, state: 'waiting' } : next }
}

/** Ends the page or the timer of incidents. */
const ended = (page: Page, phase: OncallAction, of: readonly (Stand | Timer | undefined)[]): Step => [
  page,
  of.flatMap((each) => (each === undefined ? [] : [announced(phase, each)])),
]

const announced = <A extends OncallAction>(action: A, { incident }: Stand | Timer) =>
  ({ incident, phase: action, effects: [{ kind: 'announce', action }] }) as const
const joined = ({ incident }: Stand | Timer): PageChange => ({ incident, phase: 'joined', effects: [] })

/** Adds what a timer tells of to what the page stands for. */
const covered = (stand: Stand | undefined, timer: Timer | undefined): Covered =>
  together(stand !== undefined && STANDS.has(stand.phase) ? stand : NOTHING, timer)

/** Returns the loudest severity rank that a page tells of, or will. */
export const pagedLevel = ({ stand, timer }: Page): number => covered(stand, timer).level

const NOTHING: Covered = { level: Number.MAX_SAFE_INTEGER, members: null }

const together = (one: Covered, { level, members }: Covered = NOTHING): Covered => ({
  level: Math.min(one.level, level),
  members: withMembers(one.members, members ?? undefined),
})

/** Adds alerts of a group to those that are known. */
export function withMembers(known: Covered['members'], members: readonly string[] | undefined): Covered['members'] {
  if (members === undefined) return known
  const added = known === null ? members : members.filter((member) => !known.includes(member))
  return added.length === 0 ? known : [...(known ?? []), ...added].slice(-MAX_MEMBERS)
}

const isInFlight = ({ next }: Page) => next?.state === 'in flight'
const atLeastMaybe = ({ providerKnows }: Page) => (providerKnows === 'yes' ? 'yes' : 'maybe')
/** The provider may have the page, or a person has taken the problem. */
const isKnown = (page: Page) =>
  page.providerKnows !== 'no' || page.stand?.phase === 'acknowledged' || (page.stand !== undefined && isInFlight(page))
