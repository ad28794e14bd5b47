import type { Ping, Reason } from '../../domain/heartbeat.ts'
import type { Heartbeat } from '../engine/counts.ts'
import type { OwedIncident } from '../ports/heartbeats.ts'
import { PENDING, type Pending } from './pending.ts'
import type { HeartbeatRule } from './rules.ts'

/*
 * Steps of one heartbeat, without a clock and a disk. A `Moment` is one time by two clocks. States:
 *
 *     beating   leaves to missing or overrun, when the incident of that is applied; to failed with a failure
 *     missing   no sign of life came in time; leaves to back with a sign of life, to failed with a failure
 *     overrun   a run did not end in time; as missing
 *     failed    as missing
 *     back      leaves to beating, when the resolution of the incident is applied; to failed with a failure
 *     left      left the configuration in one of the last four; forgotten when the resolution is applied
 *
 * `missing` and `overrun` follow from the time until their incident is applied. A failure and a sign of life are events:
 * what they raise is `pending` until it is applied.
 */

export interface Moment {
  /** Epoch milliseconds, by the wall clock. */
  readonly at: number
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: number
}

/** A shorter time in which the service was down loses no sign of life that is repeated. */
export const DOWN_MS = 120_000

export const SILENCE: Reason = { kind: 'silence' }
const OVERRUN: Reason = { kind: 'overrun' }

/** Returns a heartbeat that beats, from now on. Times of a `cron` that is new count from now on too. */
export function begun(rule: HeartbeatRule, moment: Moment, stored: Partial<Heartbeat>): Heartbeat {
  const { cron: before, ...kept } = stored
  const base: Heartbeat = {
    pending: '',
    judgedThrough: moment.at,
    nextTime: Infinity,
    runDueMs: Infinity,
    dueMs: Infinity,
    dueAt: Infinity,
    ...kept,
    ...(before !== rule.cron && { judgedThrough: moment.at }),
    ...(rule.cron !== undefined && { cron: rule.cron }),
  }
  // A sign of life from the future came before the clock was set back.
  const lastAt = Math.min(moment.at, Math.max(base.heardAt ?? 0, base.judgedThrough))
  const nextTime = rule.times?.(lastAt) ?? Infinity
  const { startedAt } = base
  const quiet = waiting({ ...base, nextTime }, rule, moment)
  if (startedAt === undefined) return quiet
  return running(quiet, Math.max(0, startedAt + rule.maxRunMs - moment.at), moment)
}

/** Returns the heartbeat after a sign of life. `run`: of a ping that names it. */
export function heard(heartbeat: Heartbeat, rule: HeartbeatRule, moment: Moment, run?: string): Heartbeat {
  const { nextTime } = heartbeat
  const isDown = !beats(heartbeat)
  const isOver = run === undefined || run === heartbeat.runId || (isDown && heartbeat.why?.kind === 'overrun')
  const ended = isOver ? withoutRun(measured(heartbeat, moment, run)) : heartbeat
  return waiting(
    {
      ...ended,
      heardAt: moment.at,
      ...(isDown && { pending: withPending(heartbeat, 'r') }),
      nextTime: moment.at < nextTime ? nextTime : (rule.times?.(moment.at) ?? Infinity),
    },
    rule,
    moment,
  )
}

/** Returns the heartbeat with a run that begins. The start of a run before that did not end leaves the due time. */
export function started(heartbeat: Heartbeat, rule: HeartbeatRule, moment: Moment, run?: string): Heartbeat {
  const { runId: _, ...rest } = heartbeat
  const next = { ...rest, startedAt: moment.at, ...(run !== undefined && { runId: run }) }
  if (heartbeat.startedAt === undefined) return running(next, rule.maxRunMs, moment)
  return { ...next, runDueMs: moment.elapsed + rule.maxRunMs }
}

/** Returns the heartbeat after a failure. One that does not beat already raises no further incident. */
export function failed(heartbeat: Heartbeat, moment: Moment, { run, exitStatus, output }: Ping): Heartbeat {
  const { output: before, ...ended } = withoutRun(measured(heartbeat, moment, run))
  const why: Reason = { kind: 'failure', ...(exitStatus !== undefined && { exitStatus }) }
  if (!beats(heartbeat)) return { ...ended, why, ...(before !== undefined && { output: before }) }
  return {
    ...ended,
    why,
    missingSince: heartbeat.missingSince ?? moment.at,
    pending: withPending(heartbeat, 'f'),
    ...(output !== undefined && { output }),
  }
}

/** Returns the heartbeat after the incident of `owedBy` is applied; undefined: it is forgotten. */
export function applied(
  heartbeat: Heartbeat,
  rule: HeartbeatRule | undefined,
  { status, since }: Pick<OwedIncident, 'status' | 'since'>,
  now: number,
): Heartbeat | undefined {
  const { missingSince, pending, heardAt = 0, left } = heartbeat
  const rest = pending.slice(1) as Pending
  if (status === 'firing') {
    if (missingSince === undefined) return missed(heartbeat, rule, since, heardAt >= since)
    return pending.startsWith('f') && missingSince === since ? { ...heartbeat, pending: rest } : heartbeat
  }
  if (missingSince !== since) return heartbeat
  if (left !== undefined) return undefined
  if (!pending.startsWith('r')) return heartbeat
  // It failed while the resolution was under way.
  if (rest !== '') return { ...heartbeat, pending: rest, missingSince: Math.max(now, since + 1) }
  const { missingSince: _, why: __, output: ___, ...beating } = heartbeat
  return { ...beating, pending: '' }
}

/** `isBack`: a sign of life came after the incident. */
function missed(heartbeat: Heartbeat, rule: HeartbeatRule | undefined, since: number, isBack: boolean): Heartbeat {
  const isOverrun = overrunAt(heartbeat, rule) === since
  const next = isOverrun && isBack ? withoutRun(heartbeat) : heartbeat
  return { ...next, missingSince: since, why: isOverrun ? OVERRUN : SILENCE, pending: isBack ? 'r' : '' }
}

/** Returns the incident that the heartbeat has to raise next; undefined: none. `moment`: of what is known. */
export function owedBy(name: string, heartbeat: Heartbeat, rule: HeartbeatRule | undefined, moment: Moment) {
  const { missingSince, pending, left, why = SILENCE } = heartbeat
  const of = (status: OwedIncident['status'], since: number, because: Reason): OwedIncident => ({
    name,
    status,
    since,
    heardAt: heartbeat.heardAt ?? null,
    key: `heartbeat ${status} ${since} ${name}`,
    why: because,
    ...(heartbeat.startedAt !== undefined && { startedAt: heartbeat.startedAt }),
    ...(heartbeat.lastRunMs !== undefined && { lastRunMs: heartbeat.lastRunMs }),
    ...(status === 'firing' && heartbeat.output !== undefined && { output: heartbeat.output }),
    ...(left !== undefined && { left }),
  })
  if (missingSince !== undefined) {
    if (pending.startsWith('f')) return of('firing', missingSince, why)
    return pending !== '' || left !== undefined ? of('resolved', missingSince, why) : undefined
  }
  const overrun = overrunAt(heartbeat, rule)
  if (overrun !== undefined && heartbeat.runDueMs <= moment.elapsed) return of('firing', overrun, OVERRUN)
  const isDue = rule?.times === undefined ? heartbeat.dueMs <= moment.elapsed : heartbeat.dueAt <= moment.at
  return isDue ? of('firing', heartbeat.dueAt, SILENCE) : undefined
}

/**
 * Returns the heartbeat after a time in which the service heard nothing. What was due in it is not judged when too much of
 * the time for it was lost: the ping may have been refused.
 */
export function afterDowntime(heartbeat: Heartbeat, rule: HeartbeatRule, from: number, moment: Moment): Heartbeat {
  const to = moment.at
  const isLost = (begin: number, ms: number) =>
    Math.min(begin + ms, to) - Math.max(begin, from) >= Math.min(DOWN_MS, ms)
  const { startedAt, nextTime } = heartbeat
  let next = heartbeat
  if (startedAt !== undefined && isLost(startedAt, rule.maxRunMs))
    next = waiting({ ...withoutRun(next), skippedAt: startedAt }, rule, moment)
  if (rule.times === undefined || !isLost(nextTime, rule.graceMs)) return next
  const judgedThrough = to - Math.min(DOWN_MS, rule.graceMs)
  return waiting({ ...next, judgedThrough, skippedAt: nextTime, nextTime: rule.times(judgedThrough) }, rule, moment)
}

/**
 * Returns the heartbeat after the wall clock was set back. What it heard or skipped before by a wrong clock counts for one time
 * to come at most.
 */
export function afterSetBack(heartbeat: Heartbeat, rule: HeartbeatRule, moment: Moment): Heartbeat {
  if (rule.times === undefined) return heartbeat
  const nextTime = rule.times(rule.times(moment.at))
  if (heartbeat.nextTime <= nextTime) return heartbeat
  const next = waiting(
    { ...heartbeat, judgedThrough: Math.min(heartbeat.judgedThrough, moment.at), nextTime },
    rule,
    moment,
  )
  return heartbeat.startedAt === undefined ? next : running(next, heartbeat.runDueMs - moment.elapsed, moment)
}

/** Returns whether the last that is known of the heartbeat is good: it beats, or is back. */
export const beats = ({ missingSince, pending }: Heartbeat): boolean =>
  pending === '' ? missingSince === undefined : pending.endsWith('r')

function withPending({ pending }: Heartbeat, event: 'f' | 'r'): Pending {
  const longer = `${pending}${event}`
  return PENDING.find((each) => each === longer) ?? (pending.slice(0, -1) as Pending)
}

const overrunAt = ({ startedAt }: Heartbeat, rule: HeartbeatRule | undefined) =>
  startedAt === undefined || rule === undefined ? undefined : startedAt + rule.maxRunMs

/** Begins the time until the next sign of life is due. */
const waiting = (heartbeat: Heartbeat, rule: HeartbeatRule, { at, elapsed }: Moment): Heartbeat => ({
  ...heartbeat,
  dueMs: elapsed + rule.silenceMs,
  dueAt: rule.times === undefined ? at + rule.silenceMs : heartbeat.nextTime + rule.graceMs,
})

/** Nothing is due before the run may take no longer. */
const running = (heartbeat: Heartbeat, leftMs: number, { at, elapsed }: Moment): Heartbeat => ({
  ...heartbeat,
  runDueMs: elapsed + leftMs,
  dueMs: Math.max(heartbeat.dueMs, elapsed + leftMs),
  dueAt: Math.max(heartbeat.dueAt, at + leftMs),
})

function measured(heartbeat: Heartbeat, { at }: Moment, run: string | undefined): Heartbeat {
  const { startedAt, runId } = heartbeat
  return startedAt !== undefined && run === runId ? { ...heartbeat, lastRunMs: Math.max(0, at - startedAt) } : heartbeat
}

function withoutRun({ startedAt: _, runId: __, ...rest }: Heartbeat): Heartbeat {
  return { ...rest, runDueMs: Infinity }
}
