import { RANK, type Rank } from '../../domain/delivery/dispatch.ts'
import type { Status } from '../../domain/incident.ts'
import type { StormParameters } from './storm-parameters.ts'

/**
 * State of one destination under storm rules:
 *
 *     calm    every alert is a message of its own, a single; leaves to storm when `load` reaches `maxLoad`
 *     storm   most alerts are places of a digest; leaves to calm with its summary, or when the provider refuses it
 *
 * `load` is the larger of two numbers: singles that are unfinished, which the destination has not taken, and `level`,
 * which its readers were just given. Times are epoch milliseconds. Everything is plain data of bounded size.
 */
export interface LaneState {
  /** Leaky bucket: one more with each single, `readingPerSecond` fewer each second. */
  readonly level: number
  readonly levelAt: number
  /** Commit of the alert that last raised the level from zero: what was committed since belongs to the storm that follows. */
  readonly since: number
  /** Absent: calm. */
  readonly storm?: Storm
}

interface Storm {
  readonly openedAt: number
  /** Start of the hour that the two numbers below count in. */
  readonly hourAt: number
  readonly urgents: number
  readonly newcomers: number
  /** Leaky bucket of all arrivals: it is empty after a minute of little. */
  readonly inflow: number
  readonly inflowAt: number
}

/** Singles of the destination that are not finished: pending or with the sender. */
export interface Unfinished {
  readonly singles: number
  /** Urgent ones among the singles. */
  readonly urgents: number
}

/** Facts of an alert that its place depends on. */
export interface Alert {
  readonly status: Status
  readonly priority: 'high' | 'normal' | 'low'
  /**
   * Its problem is unknown to the storm and was not told of in the ten minutes before it, or it is louder than all that the
   * storm knows of its problem.
   */
  readonly isNews: boolean
  /** It is resolved, and its problem was told singly. */
  readonly answersSingle: boolean
}

export type LaneEvent =
  /** `committedAt`: at or before the time of the step. `isEnding`: the digest takes no more places. */
  | {
      readonly kind: 'arrived'
      readonly alert: Alert
      readonly unfinished: Unfinished
      readonly committedAt: number
      readonly isEnding: boolean
    }
  /** More waits than the rules would have let. */
  | { readonly kind: 'flooded' }
  /** The digest is finished. */
  | { readonly kind: 'over' }
  /** The clock was set: durations stay. */
  | { readonly kind: 'clock moved'; readonly byMs: number }

export type LaneEffect =
  | { readonly kind: 'single'; readonly rank: Rank }
  | { readonly kind: 'fold'; readonly urgent: boolean }
  /**
   * A digest begins. The problems that the destination was told of, or has waiting, are known to it. Pending singles
   * that were not tried become places of it, but for the oldest `keep`.
   */
  | { readonly kind: 'open'; readonly since: number; readonly keep: number }

type Step = readonly [LaneState, readonly LaneEffect[]]

/** A destination that was sent nothing. */
export const calm = (now: number): LaneState => ({ level: 0, levelAt: now, since: now })

/** Decides between singles and places of the digest, and when a storm opens: a pure step. */
export function laneStep(was: LaneState, event: LaneEvent, now: number, parameters: StormParameters): Step {
  switch (event.kind) {
    case 'arrived':
      return arrived(was, event, now, parameters)
    case 'flooded':
      return was.storm === undefined ? opened(was, now, parameters) : [was, NOTHING]
    case 'over':
      return [{ level: was.level, levelAt: was.levelAt, since: was.since }, NOTHING]
    case 'clock moved':
      return [moved(was, event.byMs), NOTHING]
    default:
      return event satisfies never
  }
}

const NOTHING: readonly LaneEffect[] = []
const RANK_OF = { high: RANK.urgent, normal: RANK.normal, low: RANK.low } as const

const HOUR_MS = 3_600_000
/** A storm is over not before this time after the opening, and arrivals must have been few for as long. */
const QUIET_MS = 60_000

/** Singles that count against the readers of the destination and against its limiter. */
export function loadOf(state: LaneState, unfinished: Unfinished, now: number, leak: StormParameters): number {
  return Math.max(unfinished.singles, leaked(state.level, now - state.levelAt, leak.readingPerSecond))
}

/** Returns when the storm is over if nothing arrives: a minute old, few arrivals for a minute, the load halved. */
export function calmAt({ level, levelAt, storm }: LaneState, { singles }: Unfinished, leak: StormParameters): number {
  const { maxLoad, readingPerSecond } = leak
  if (storm === undefined || singles > maxLoad / 2) return Infinity
  const halvedAt = levelAt + drainMs(level - maxLoad / 2, readingPerSecond)
  const inflowAt = storm.inflowAt + drainMs(storm.inflow - 1, readingPerSecond / 2)
  return Math.max(storm.openedAt + QUIET_MS, halvedAt, inflowAt)
}

function arrived(
  was: LaneState,
  event: Extract<LaneEvent, { kind: 'arrived' }>,
  now: number,
  parameters: StormParameters,
): Step {
  const { maxLoad, readingPerSecond } = parameters
  const { alert, unfinished, committedAt } = event
  const single = () => withSingle(was, now, committedAt, readingPerSecond)
  const load = loadOf(was, unfinished, now, parameters)
  const effects: readonly LaneEffect[] = [{ kind: 'single', rank: RANK_OF[alert.priority] }]
  if (was.storm === undefined) {
    if (load < maxLoad) return [single(), effects]
    const [open, opening] = opened(was, now, parameters)
    const [next, placed] = arrived(open, event, now, parameters)
    return [next, [...opening, ...placed]]
  }
  const counted = withInflow(was.storm, now, readingPerSecond)
  if (event.isEnding) return [{ ...single(), storm: counted }, effects]
  const storm = placedIn(counted, alert, { load, unfinished }, parameters)
  if (storm === 'fold') return [{ ...was, storm: counted }, [{ kind: 'fold', urgent: isUrgent(alert) }]]
  return [{ ...single(), storm }, effects]
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

function opened(was: LaneState, now: number, { maxLoad }: StormParameters): Step {
  const storm: Storm = { openedAt: now, hourAt: now, urgents: 0, newcomers: 0, inflow: 0, inflowAt: now }
  return [{ ...was, storm }, [{ kind: 'open', since: Math.min(was.since, now), keep: maxLoad }]]
}

function withInflow(storm: Storm, now: number, readingPerSecond: number): Storm {
  // Arrivals at half of the reading rate keep a storm open; those of the last minute count, so the bucket is capped.
  const leak = readingPerSecond / 2
  const cap = leak * (QUIET_MS / 1_000) + 1
  const inflow = Math.min(cap, leaked(storm.inflow, now - storm.inflowAt, leak) + 1)
  const hour = now - storm.hourAt >= HOUR_MS ? { hourAt: now, urgents: 0, newcomers: 0 } : undefined
  return { ...storm, inflow, inflowAt: now, ...hour }
}

function withSingle(was: LaneState, now: number, committedAt: number, readingPerSecond: number): LaneState {
  const level = leaked(was.level, now - was.levelAt, readingPerSecond)
  return { ...was, level: level + 1, levelAt: now, since: level === 0 && !was.storm ? committedAt : was.since }
}

function moved(was: LaneState, byMs: number): LaneState {
  const { storm } = was
  const base = { ...was, levelAt: was.levelAt + byMs, since: was.since + byMs }
  if (storm === undefined) return base
  const { openedAt, hourAt, inflowAt } = storm
  return { ...base, storm: { ...storm, openedAt: openedAt + byMs, hourAt: hourAt + byMs, inflowAt: inflowAt + byMs } }
}

const leaked = (level: number, ms: number, perSecond: number) =>
  Math.max(0, level - (Math.max(0, ms) * perSecond) / 1_000)
const drainMs = (amount: number, perSecond: number) => (Math.max(0, amount) / perSecond) * 1_000
