import { RANK } from '../domain/dispatch.ts'
import type { StormParameters } from './storm-parameters.ts'
import type {
  Alert,
  RevisionResult,
  Sending,
  Storm,
  StormEffect,
  StormEvent,
  StormState,
  Unfinished,
  Way,
} from './storm-state.ts'

type Step = readonly [StormState, readonly StormEffect[]]

/** A destination that was sent nothing. */
export const calm = (now: number): StormState => ({ level: 0, levelAt: now, since: now })

/** Decides between singles and the digest, and when a revision is sent: a pure step. */
export function step(was: StormState, event: StormEvent, now: number, parameters: StormParameters): Step {
  switch (event.kind) {
    case 'arrived':
      return arrived(was, event, now, parameters)
    case 'found':
      return was.storm === undefined && event.unfinished.singles > parameters.maxLoad
        ? opened(was, now, parameters)
        : [was, NOTHING]
    case 'absorbed':
      return withStorm(was, (storm) => ({
        ...storm,
        folded: storm.folded + event.count,
        urgent: storm.urgent || event.urgent,
      }))
    case 'claimed':
      return claimed(was, event.unfinished, now, parameters)
    case 'settled':
      return settled(was, event.result, now, parameters)
    case 'accepting':
      return withStorm(was, (storm) => ({ ...storm, notBefore: 0 }))
    case 'switched off':
      return withStorm(was, (storm) => ({ ...storm, ending: true, dueAt: now }))
    case 'clock moved':
      return [moved(was, event.byMs), NOTHING]
    default:
      return event satisfies never
  }
}

const NOTHING: readonly StormEffect[] = []
const FOLD: readonly StormEffect[] = [{ kind: 'fold' }]
const SINGLE = {
  high: [{ kind: 'single', rank: RANK.urgent }],
  normal: [{ kind: 'single', rank: RANK.normal }],
  low: [{ kind: 'single', rank: RANK.low }],
} as const satisfies { readonly [priority in Alert['priority']]: readonly StormEffect[] }

const HOUR_MS = 3_600_000
/** A summary comes not before this time after the opening, and arrivals must have been few for as long. */
const QUIET_MS = 60_000
/** A post this old is far up in the chat: the next revision is posted below it. */
const STALE_MS = 10 * 60_000
/** A storm that was one post ends with an edit of it, if it is not older. */
const FRESH_MS = 5 * 60_000

/** Singles that count against the readers of the destination and against its limiter. */
export function loadOf(state: StormState, unfinished: Unfinished, now: number, leak: StormParameters): number {
  return Math.max(unfinished.singles, leaked(state.level, now - state.levelAt, leak.readingPerSecond))
}

/** Returns when `claimed` may hand out a revision; Infinity while none will be due without another event. */
export function nextRevisionAt(state: StormState, unfinished: Unfinished, parameters: StormParameters): number {
  const { storm } = state
  if (storm === undefined || storm.sending !== undefined) return Infinity
  const at = storm.folded > storm.told ? revisionAt(storm, parameters) : summaryAt(state, storm, unfinished, parameters)
  return Math.max(at, storm.notBefore)
}

function arrived(
  was: StormState,
  event: Extract<StormEvent, { kind: 'arrived' }>,
  now: number,
  parameters: StormParameters,
): Step {
  const { maxLoad, readingPerSecond } = parameters
  const { alert, unfinished, committedAt } = event
  const single = () => withSingle(was, { now, committedAt, readingPerSecond })
  const load = loadOf(was, unfinished, now, parameters)
  if (was.storm === undefined) {
    if (load < maxLoad) return [single(), SINGLE[alert.priority]]
    const [open, effects] = opened(was, now, parameters)
    const [next, placed] = arrived(open, event, now, parameters)
    return [next, [...effects, ...placed]]
  }
  const counted = withInflow(was.storm, now, readingPerSecond)
  if (was.storm.ending) return [{ ...single(), storm: counted }, SINGLE[alert.priority]]
  const storm = placedIn(counted, alert, { load, unfinished }, parameters)
  if (storm === 'fold') {
    const urgent = counted.urgent || isUrgent(alert)
    return [{ ...was, storm: { ...counted, folded: counted.folded + 1, urgent } }, FOLD]
  }
  return [{ ...single(), storm }, SINGLE[alert.priority]]
}

/** Returns the storm with the single counted, or `fold`. */
function placedIn(
  storm: Storm,
  alert: Alert,
  { load, unfinished }: { readonly load: number; readonly unfinished: Unfinished },
  { maxLoad, maxUrgent, urgentsAnHour, newcomersAnHour }: StormParameters,
): Storm | 'fold' {
  // News of an urgent problem rings by itself, unless urgent ones wait already: those would bury it.
  if (isUrgent(alert))
    return unfinished.urgents < maxUrgent && storm.urgents < urgentsAnHour
      ? { ...storm, urgents: storm.urgents + 1 }
      : 'fold'
  if (load >= maxLoad) return 'fold'
  // Other news is a message of its own, as long as it is little.
  if (alert.isNews && alert.status === 'firing' && alert.priority === 'normal')
    return storm.newcomers < newcomersAnHour ? { ...storm, newcomers: storm.newcomers + 1 } : 'fold'
  // A reader of the single would otherwise wait for its end. Each single is answered once, so these are as few.
  return alert.status === 'resolved' && alert.answersSingle ? storm : 'fold'
}

const isUrgent = ({ priority, status, isNews }: Alert) => priority === 'high' && status === 'firing' && isNews

function opened(was: StormState, now: number, parameters: StormParameters): Step {
  const { firstRevisionMs, minIntervalMs, urgentGapMs, maxLoad } = parameters
  const storm: Storm = {
    openedAt: now,
    folded: 0,
    handed: 0,
    told: 0,
    revisions: 0,
    urgent: false,
    dueAt: now + firstRevisionMs,
    notBefore: 0,
    intervalMs: minIntervalMs,
    gapMs: urgentGapMs,
    urgentAt: now,
    postedAt: now,
    posts: 0,
    editable: false,
    mayRepeat: false,
    hourAt: now,
    urgents: 0,
    newcomers: 0,
    inflow: 0,
    inflowAt: now,
    ending: false,
  }
  return [{ ...was, storm }, [{ kind: 'open', since: Math.min(was.since, now), keep: maxLoad }]]
}

function claimed(was: StormState, unfinished: Unfinished, now: number, parameters: StormParameters): Step {
  const { storm } = was
  if (storm === undefined || nextRevisionAt(was, unfinished, parameters) > now) return [was, NOTHING]
  const untold = storm.folded > storm.told
  // Nothing was folded, or the last message told all: there is nothing to say at the end.
  if (!untold && (storm.folded === 0 || storm.ending)) return [calmed(was), [{ kind: 'close', dead: false }]]
  const last = !untold || storm.ending
  const { urgent } = storm
  const way = wayOf(storm, { last: !untold, urgent, edits: parameters.edits, now })
  const sending: Sending = { way, through: storm.folded, urgent, last, at: now }
  const next = { ...storm, sending, handed: storm.folded, urgent: false }
  const { revisions, mayRepeat } = storm
  return [{ ...was, storm: next }, [{ kind: 'hand out', revision: revisions + 1, mayRepeat, ...sending }]]
}

/** Edits ring no bell, so what somebody must hear is posted: urgent alerts, and the end of a storm. */
function wayOf(
  { editable, postedAt, posts }: Storm,
  { last, urgent, edits, now }: { last: boolean; urgent: boolean; edits: boolean; now: number },
): Way {
  if (!edits || !editable || urgent) return 'post'
  if (last) return posts === 1 && now - postedAt < FRESH_MS ? 'edit' : 'post'
  return now - postedAt >= STALE_MS ? 'post' : 'edit'
}

function settled(was: StormState, result: RevisionResult, now: number, parameters: StormParameters): Step {
  const { storm } = was
  const sending = storm?.sending
  if (storm === undefined || sending === undefined) return [was, NOTHING]
  switch (result.state) {
    case 'told':
      return told(was, { storm, sending, editable: result.editable }, now, parameters)
    case 'pending': {
      const mayRepeat = storm.mayRepeat || (result.mayDuplicate && sending.way === 'post')
      return [{ ...was, storm: { ...handedBack(storm, sending), mayRepeat, notBefore: result.at } }, NOTHING]
    }
    case 'gone':
      return [{ ...was, storm: { ...handedBack(storm, sending), editable: false, dueAt: now } }, NOTHING]
    case 'dead':
      return [calmed(was), [{ kind: 'close', dead: true }]]
    default:
      return result satisfies never
  }
}

interface SentRevision extends Pick<Storm, 'editable'> {
  readonly storm: Storm
  readonly sending: Sending
}

function told(was: StormState, sent: SentRevision, now: number, parameters: StormParameters): Step {
  const { storm, sending } = sent
  const { maxIntervalMs, urgentGapMs } = parameters
  const revision = storm.revisions + 1
  const effect = { kind: 'told', through: sending.through, revision } as const
  if (sending.last && storm.folded === sending.through) return [calmed(was), [effect, { kind: 'close', dead: false }]]
  const posted = sending.way === 'post'
  const { sending: _, ...rest } = storm
  const next: Storm = {
    ...rest,
    told: sending.through,
    revisions: revision,
    // From the hand-out: alerts that came after it wait one interval, however long the provider took.
    dueAt: sending.at + storm.intervalMs,
    notBefore: 0,
    intervalMs: Math.min(maxIntervalMs, 2 * storm.intervalMs),
    gapMs: sending.urgent ? Math.min(Math.max(maxIntervalMs, urgentGapMs), 2 * storm.gapMs) : urgentGapMs,
    urgentAt: sending.urgent ? now : storm.urgentAt,
    postedAt: posted ? now : storm.postedAt,
    posts: storm.posts + (posted ? 1 : 0),
    editable: posted ? sent.editable : storm.editable,
    mayRepeat: false,
  }
  return [{ ...was, storm: next }, [effect]]
}

/** The next hand-out covers the same places or more. */
function handedBack({ sending: _, ...storm }: Storm, sending: Sending): Storm {
  return { ...storm, urgent: storm.urgent || sending.urgent }
}

function revisionAt({ dueAt, urgent, urgentAt, gapMs, folded, told }: Storm, { maxUntold }: StormParameters): number {
  if (folded - told >= maxUntold) return 0
  return urgent ? Math.min(dueAt, urgentAt + gapMs) : dueAt
}

/** The summary comes when the storm is a minute old, arrivals were few for a minute, and the load has halved. */
function summaryAt(state: StormState, storm: Storm, unfinished: Unfinished, parameters: StormParameters): number {
  if (storm.ending) return 0
  const { maxLoad, readingPerSecond } = parameters
  if (unfinished.singles > maxLoad / 2) return Infinity
  const levelAt = state.levelAt + drainMs(state.level - maxLoad / 2, readingPerSecond)
  const inflowAt = storm.inflowAt + drainMs(storm.inflow - 1, readingPerSecond / 2)
  return Math.max(storm.openedAt + QUIET_MS, levelAt, inflowAt)
}

function withInflow(storm: Storm, now: number, readingPerSecond: number): Storm {
  // Arrivals at half of the reading rate keep a storm open; those of the last minute count, so the bucket is capped.
  const leak = readingPerSecond / 2
  const cap = leak * (QUIET_MS / 1_000) + 1
  const inflow = Math.min(cap, leaked(storm.inflow, now - storm.inflowAt, leak) + 1)
  const hour = now - storm.hourAt >= HOUR_MS ? { hourAt: now, urgents: 0, newcomers: 0 } : undefined
  return { ...storm, inflow, inflowAt: now, ...hour }
}

interface NewSingle {
  readonly now: number
  readonly committedAt: number
  readonly readingPerSecond: number
}

function withSingle(was: StormState, { now, committedAt, readingPerSecond }: NewSingle): StormState {
  const level = leaked(was.level, now - was.levelAt, readingPerSecond)
  return { ...was, level: level + 1, levelAt: now, since: level === 0 && !was.storm ? committedAt : was.since }
}

function withStorm(was: StormState, change: (storm: Storm) => Storm): Step {
  return [was.storm === undefined ? was : { ...was, storm: change(was.storm) }, NOTHING]
}

const calmed = ({ level, levelAt, since }: StormState): StormState => ({ level, levelAt, since })

function moved(was: StormState, byMs: number): StormState {
  const { storm } = was
  const base = { ...calmed(was), levelAt: was.levelAt + byMs, since: was.since + byMs }
  if (storm === undefined) return base
  const { openedAt, dueAt, notBefore, urgentAt, postedAt, hourAt, inflowAt, sending } = storm
  return {
    ...base,
    storm: {
      ...storm,
      openedAt: openedAt + byMs,
      dueAt: dueAt + byMs,
      notBefore: notBefore + byMs,
      urgentAt: urgentAt + byMs,
      postedAt: postedAt + byMs,
      hourAt: hourAt + byMs,
      inflowAt: inflowAt + byMs,
      ...(sending && { sending: { ...sending, at: sending.at + byMs } }),
    },
  }
}

const leaked = (level: number, ms: number, perSecond: number) =>
  Math.max(0, level - (Math.max(0, ms) * perSecond) / 1_000)
const drainMs = (amount: number, perSecond: number) => (Math.max(0, amount) / perSecond) * 1_000
