import type {
  Bundle,
  BundleEffect,
  BundleEvent,
  Ending,
  RevisionResult,
  Sending,
  Surroundings,
  Way,
} from './bundle-state.ts'
import type { Pace } from './pace.ts'

type Step = readonly [Bundle, readonly BundleEffect[]]

/** A bundle that waits for something else is looked at again after this time. */
const LOOK_MS = 60_000
const NOTHING: readonly BundleEffect[] = []
const CLOSE: readonly BundleEffect[] = [{ kind: 'close', dead: false }]

interface Beginning extends Pick<Bundle, 'kind' | 'since'> {
  /** The latest message about its subject; 0: the destination has none. */
  readonly postedAt: number
  readonly now: number
}

/** Returns a bundle without places. */
export const begun = ({ kind, since, postedAt, now }: Beginning, pace: Pace): Bundle => ({
  ...{ kind, state: 'open', since, folded: 0, handed: 0, told: 0, revision: 0, dueAt: now + pace.idleMs },
  ...{ toldAt: postedAt === 0 ? now : postedAt, postedAt, posts: 0, owesEnd: false, retrying: false, mayRepeat: false },
  ...{ urgent: false, urgentAt: now, gapMs: pace.urgentGapMs },
})

const owes = ({ folded, told, owesEnd, urgent, changed = false }: Bundle) =>
  folded > told || owesEnd || urgent || changed
const isOver = ({ state }: Bundle) => state === 'closed' || state === 'dead'

/** Returns when `claimed` does something; Infinity: not without another event. `calmAt`: as there. */
export function nextAt(bundle: Bundle, pace: Pace, calmAt = Infinity): number {
  const { state, dueAt, retrying, folded, told, urgent, urgentAt, gapMs } = bundle
  if (isOver(bundle) || bundle.sending !== undefined) return Infinity
  if (!owes(bundle) && state === 'open') return pace.hasSummary ? Math.max(calmAt, retrying ? dueAt : 0) : dueAt
  if (retrying) return dueAt
  if (folded - told >= pace.maxUntold) return 0
  if (!urgent) return dueAt
  return folded > told ? Math.min(dueAt, urgentAt + gapMs) : urgentAt + gapMs
}

/** Returns when the next place is told. */
function wantedAt({ toldAt, postedAt, since, revision }: Bundle, { edits, intervalMs, repostMs }: Pace): number {
  const isFirst = postedAt === 0
  return edits || repostMs === 0 || isFirst ? toldAt + intervalMs(revision, toldAt - since) : postedAt + repostMs
}

/** Decides when a bundle is told of, in which way, and when it ends: a pure step. */
export function step(was: Bundle, event: BundleEvent, now: number, pace: Pace): Step {
  if (isOver(was)) return [was, NOTHING]
  switch (event.kind) {
    case 'placed':
      return [placed(was, event, pace), NOTHING]
    case 'posted':
      return [due({ ...was, toldAt: now, postedAt: now }, pace), NOTHING]
    case 'stands':
      return [owes(was) && !was.retrying && was.sending === undefined ? due(was, pace) : was, NOTHING]
    case 'refused':
      return [{ ...was, toldAt: 0, postedAt: 0, ...(owes(was) && { dueAt: now }) }, NOTHING]
    case 'claimed':
      return nextAt(was, pace, event.calmAt) > now ? [was, NOTHING] : claimed(was, event, now, pace)
    case 'settled':
      return settled(was, event.result, now, pace)
    case 'taken over':
      return takenOver(was, event.count, pace)
    case 'ends':
      return ended(was, event.how, now)
    case 'answer sent':
      return answered(was, now)
    case 'answer lost':
      return [{ ...was, dueAt: now }, NOTHING]
    case 'answer awaited':
      return [{ ...was, dueAt: now + LOOK_MS }, NOTHING]
    case 'changed':
      return [changed(was, now, pace), NOTHING]
    case 'accepting':
      return [was.retrying ? { ...was, retrying: false, dueAt: Math.min(was.dueAt, now) } : was, NOTHING]
    case 'clock moved':
      return [moved(was, event.byMs), NOTHING]
    default:
      return event satisfies never
  }
}

/** Sets the next look after something was told. */
function due(bundle: Bundle, pace: Pace): Bundle {
  return sooner({ ...bundle, dueAt: owes(bundle) ? wantedAt(bundle, pace) : bundle.toldAt + pace.idleMs }, pace)
}

/** Brings the next look forward for urgent alerts. A storm's digest is looked at by `nextAt`; all others are found by `dueAt`. */
function sooner(bundle: Bundle, { hasSummary }: Pace): Bundle {
  const { urgent, folded, told, dueAt, urgentAt, gapMs } = bundle
  if (hasSummary || !urgent) return bundle
  return { ...bundle, dueAt: Math.min(folded > told ? dueAt : Infinity, urgentAt + gapMs) }
}

/** The last revision of one that ends shows it by itself. */
function changed(was: Bundle, now: number, { edits }: Pace): Bundle {
  if (!edits || was.state !== 'open') return was
  const waits = was.retrying || was.sending !== undefined
  return { ...was, changed: true, dueAt: waits ? was.dueAt : Math.min(was.dueAt, now) }
}

function placed(
  was: Bundle,
  { count, urgent }: { readonly count: number; readonly urgent: boolean },
  pace: Pace,
): Bundle {
  const next = { ...was, folded: was.folded + count, urgent: was.urgent || urgent }
  return was.retrying ? next : owes(was) ? sooner(next, pace) : due(next, pace)
}

function takenOver(was: Bundle, count: number, pace: Pace): Step {
  const told = was.told + count
  const next = { ...was, told, handed: Math.max(was.handed, told), urgent: was.urgent && was.folded > told }
  return finished(owes(next) ? next : due(next, pace))
}

function ended(was: Bundle, how: Ending, now: number): Step {
  const next: Bundle = { ...was, state: 'ending', owesEnd: how === 'said', urgent: was.urgent && was.folded > was.told }
  const dueAt = how === 'when due' ? was.dueAt : how === 'answered' ? now + LOOK_MS : now
  return finished({ ...next, dueAt })
}

/** Closes a bundle of which all is told and that takes no more places; one that is with the sender is closed later. */
function finished(bundle: Bundle, effects: readonly BundleEffect[] = NOTHING): Step {
  if (bundle.state !== 'ending' || owes(bundle) || bundle.sending !== undefined) return [bundle, effects]
  return [{ ...bundle, state: 'closed', dueAt: Infinity }, [...effects, ...CLOSE]]
}

function answered(was: Bundle, now: number): Step {
  const { folded: through, revision } = was
  const all = { told: through, handed: through, revision: revision + 1 }
  return finished({ ...was, ...all, urgent: false, toldAt: now, postedAt: now }, [
    { kind: 'told', through, revision: revision + 1, way: 'post' },
  ])
}

function claimed(was: Bundle, { message, isSilenced, isTaken }: Surroundings, now: number, pace: Pace): Step {
  const { folded, told, owesEnd, revision, mayRepeat, urgent, state } = was
  const isUntold = folded > told
  // Nothing was placed, or the last message told all: there is nothing to say at the end.
  if (!owes(was) && (!pace.hasSummary || folded === 0 || state === 'ending'))
    return [{ ...was, state: 'closed', dueAt: Infinity }, CLOSE]
  if (was.changed && !(isUntold || urgent || owesEnd)) return edited(was, message === 'stands' && !isTaken, now, pace)
  if (isTaken) {
    const next = { ...was, urgent: urgent && isUntold }
    return [owesEnd ? { ...next, dueAt: now + LOOK_MS } : next, isUntold ? [{ kind: 'hand over' }] : NOTHING]
  }
  if (isSilenced || message === 'awaited') return [{ ...was, dueAt: now + LOOK_MS }, NOTHING]
  const isEnd = owesEnd || !(isUntold || urgent)
  const stands = message === 'stands'
  const waits = pace.editsUrgent && stands && now < was.urgentAt + was.gapMs
  const rings = urgent && !waits
  const way = wayOf({ ...was, urgent: rings }, { isEnd, stands, now }, pace)
  const postAt = way === 'edit' || isEnd || message === 'refused' ? 0 : was.postedAt + pace.repostMs
  if (postAt > now) return [{ ...was, dueAt: postAt }, NOTHING]
  const sending: Sending = { way, through: folded, urgent: rings, last: isEnd || state === 'ending', isEnd, at: now }
  const next = { ...was, sending, handed: folded, urgent: urgent && waits, retrying: false, changed: false }
  return [next, [{ kind: 'hand out', revision: revision + 1, mayRepeat: mayRepeat && way === 'post', ...sending }]]
}

/** Hands out a revision that tells of nothing new, where a message can show it. */
function edited(was: Bundle, stands: boolean, now: number, pace: Pace): Step {
  const { folded: through, revision } = was
  const next = due({ ...was, changed: false }, pace)
  if (!stands) return [next, NOTHING]
  const sending: Sending = { way: 'edit', through, urgent: false, last: false, isEnd: false, changed: true, at: now }
  return [{ ...next, sending }, [{ kind: 'hand out', revision: revision + 1, mayRepeat: false, ...sending }]]
}

/** Edits ring no bell, so what somebody must hear is posted: urgent alerts, and the end. */
function wayOf(
  { urgent, posts, postedAt }: Bundle,
  { isEnd, stands, now }: { readonly isEnd: boolean; readonly stands: boolean; readonly now: number },
  { edits, freshMs, staleMs }: Pace,
): Way {
  if (!edits || !stands || urgent) return 'post'
  if (isEnd) return posts === 1 && now - postedAt < freshMs ? 'edit' : 'post'
  return now - postedAt >= staleMs ? 'post' : 'edit'
}

function settled(was: Bundle, result: RevisionResult, now: number, pace: Pace): Step {
  const { sending, ...rest } = was
  if (sending === undefined) return [was, NOTHING]
  // The next hand-out covers the same places or more.
  const back: Bundle = { ...rest, urgent: was.urgent || sending.urgent, changed: was.changed || sending.changed }
  switch (result.state) {
    case 'told':
      return told(rest, sending, now, pace)
    case 'pending': {
      const mayRepeat = was.mayRepeat || (result.mayDuplicate && sending.way === 'post')
      return finished({ ...back, mayRepeat, dueAt: result.at, retrying: true })
    }
    case 'gone':
      return finished({ ...back, dueAt: now })
    case 'dead': {
      if (sending.changed) return finished(due(rest, pace))
      // Another message may have told of all meanwhile.
      if (was.folded === was.told && !sending.isEnd && !sending.urgent) return finished({ ...back, dueAt: now })
      return [{ ...rest, state: 'dead', dueAt: Infinity }, [{ kind: 'close', dead: true }]]
    }
    default:
      return result satisfies never
  }
}

function told(was: Bundle, sending: Sending, now: number, pace: Pace): Step {
  const { through, way, urgent, last, isEnd, at } = sending
  const state = last && was.folded === through ? 'ending' : was.state
  if (sending.changed) return finished(was.changed ? { ...was, dueAt: now } : due(was, pace))
  // Another message may have told of all meanwhile.
  if (through <= was.told && !isEnd && !urgent) return finished({ ...was, state })
  const posted = way === 'post'
  const revision = was.revision + 1
  const next: Bundle = {
    ...was,
    state,
    told: Math.max(was.told, through),
    revision,
    // From the hand-out: places that came after it wait one interval, however long the provider took.
    toldAt: at,
    postedAt: posted ? now : was.postedAt,
    posts: was.posts + (posted ? 1 : 0),
    owesEnd: was.owesEnd && !isEnd,
    retrying: false,
    mayRepeat: false,
    gapMs: urgent
      ? Math.min(pace.maxGapMs, 2 * was.gapMs)
      : was.urgent && pace.editsUrgent
        ? was.gapMs
        : pace.urgentGapMs,
    urgentAt: urgent ? now : was.urgentAt,
  }
  const dueAt = next.owesEnd || next.changed ? now : due(next, pace).dueAt
  return finished({ ...next, dueAt }, [{ kind: 'told', through, revision, way }])
}

function moved(was: Bundle, byMs: number): Bundle {
  const { since, dueAt, toldAt, postedAt, urgentAt, sending } = was
  return {
    ...was,
    // Without this, later singles would seem to be older than the storm; a clock set forward lets none seem so.
    since: since + Math.min(0, byMs),
    ...{ dueAt: dueAt + byMs, toldAt: toldAt + byMs, urgentAt: urgentAt + byMs },
    postedAt: postedAt === 0 ? 0 : postedAt + byMs,
    ...(sending && { sending: { ...sending, at: sending.at + byMs } }),
  }
}
