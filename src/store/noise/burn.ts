import type { Settlement } from '../../domain/delivery/dispatch.ts'
import type { BurnNotice } from '../../domain/delivery/notice.ts'
import { BUNDLE_KIND, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { unfinishedDeliveries } from '../engine/counts.ts'
import type { Concluded, Settled } from '../ports/outbox.ts'

/** The objective: this share of the incidents is told within this time of its commit. */
export interface SloRules {
  readonly toldWithinMs: number
  /** Above 0 and below 1. */
  readonly objective: number
}

const MINUTE_MS = 60_000
/** Google SRE workbook, chapter 5: each pair of windows, and how many times faster than allowed the budget is used. */
const PACES = [
  { shortMinutes: 5, longMinutes: 60, burn: 14.4 },
  { shortMinutes: 30, longMinutes: 360, burn: 6 },
] as const
const KEPT_MINUTES = 360
/** Overdue incidents above this number are not counted one by one. */
const MAX_OVERDUE = 10_000

interface Told {
  readonly settlements: readonly Settlement[]
  readonly settled: readonly (Settled | undefined)[]
  readonly concluded: readonly Concluded[]
}

/** Counts how late incidents are told, by the minute, and compares it with the objective. Inside `write`. */
export type Burn = ReturnType<typeof openBurn>

export function openBurn(context: StoreContext, rules: SloRules | undefined) {
  if (rules === undefined) return { count: () => false, current: () => undefined, nextAt: () => Infinity }
  const { toldWithinMs, objective } = rules
  const { db, counts, inFlight, now } = context
  const add = db.command(`INSERT INTO slo_minutes (minute, told, late) VALUES (?, ?, ?)
     ON CONFLICT (minute) DO UPDATE SET told = slo_minutes.told + excluded.told, late = slo_minutes.late + excluded.late`)
  const prune = db.command('DELETE FROM slo_minutes WHERE minute < ? OR minute > ?')
  const sums = db.query<{ told: number; late: number }>(
    'SELECT coalesce(sum(told), 0) AS told, coalesce(sum(late), 0) AS late FROM slo_minutes WHERE minute > ?',
  )
  const waiting = db.query<{ overdue: number }>(
    `SELECT count(*) AS overdue FROM (SELECT 1 FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.kind = ${KIND.delivery} AND d.state = ${STATE.pending} AND i.committed_at < ? AND i.silence IS NULL AND d.earlier_attempts = 0
     LIMIT ${MAX_OVERDUE}) waiting`,
  )
  const folded = db.query<{ overdue: number }>(
    `SELECT count(*) AS overdue FROM (SELECT 1 FROM bundles b CROSS JOIN dispatches d CROSS JOIN incidents i
     WHERE d.bundle = b.id AND d.place > b.told AND i.seq = d.incident AND b.closed_at IS NULL AND b.kind = ${BUNDLE_KIND.storm} AND i.committed_at < ? AND i.silence IS NULL LIMIT ${MAX_OVERDUE}) waiting`,
  )
  const held = db.query<object>('SELECT 1 FROM incidents WHERE id = ? AND silence IS NOT NULL')
  const minuteOf = (at: number) => Math.floor(at / MINUTE_MS)
  // The first turn looks: the service may be restarted more often than a minute begins.
  counts.burnLookedAt = minuteOf(now()) - 1

  function current(): BurnNotice | undefined {
    const minute = minuteOf(now())
    const before = now() - toldWithinMs
    // A provider that is slow to fail has deliveries under way most of the time.
    const underWay = inFlight.createdBefore(before)
    const overdue = (waiting.get(before)?.overdue ?? 0) + (folded.get(before)?.overdue ?? 0) + underWay
    const shareIn = (minutes: number) => {
      const { told = 0, late = 0 } = sums.get(minute - minutes) ?? {}
      return { late: late + overdue, of: told + overdue }
    }
    for (const { shortMinutes, longMinutes, burn } of PACES) {
      const [short, long] = [shareIn(shortMinutes), shareIn(longMinutes)]
      const isBurning = [short, long].every(({ late, of }) => late > burn * (1 - objective) * of)
      if (isBurning) return { kind: 'burn', toldWithinMs, objective, minutes: longMinutes, ...long, overdue }
    }
    return undefined
  }

  return {
    /** Counts what a turn told. Returns true when the objective is burning; looked at once a minute. */
    count(told: Told): boolean {
      // A silence that held an incident is no delay.
      const tookMs = tookMsOf(told, (id, ms) => ms <= toldWithinMs || held.get(id) === undefined)
      const minute = minuteOf(now())
      if (tookMs.length > 0) add.run(minute, tookMs.length, tookMs.filter((ms) => ms > toldWithinMs).length)
      if (minute === counts.burnLookedAt) return false
      counts.burnLookedAt = minute
      prune.run(minute - KEPT_MINUTES, minute)
      return current() !== undefined
    },
    /** Returns the numbers of a notice; undefined: the objective does not burn now. */
    current,
    /** Returns the epoch milliseconds of the next look; Infinity while nothing waits to be told. */
    nextAt: (): number => (unfinishedDeliveries(counts) === 0 ? Infinity : (counts.burnLookedAt + 1) * MINUTE_MS),
  }
}

/** Returns how long each incident took that was told, without those that an operator sent again. */
function tookMsOf({ settlements, settled, concluded }: Told, counts: (incidentId: string, ms: number) => boolean) {
  const singles = settled.flatMap((each, at) => {
    const { attempt, verdict } = settlements[at] as Settlement
    if (each?.kind !== 'delivery' || attempt === undefined || verdict.state !== 'sent') return []
    const ms = attempt.startedAt + attempt.durationMs - each.createdAt
    return each.attempts === attempt.number && counts(each.incidentId, ms) ? [ms] : []
  })
  return [...singles, ...concluded.map(({ toldAt, committedAt }) => toldAt - committedAt)]
}
