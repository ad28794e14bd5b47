import { RANK } from '../../domain/delivery/dispatch.ts'
import type { Status } from '../../domain/incident.ts'
import { severityRank } from '../../domain/severity.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type Lane, queueOf } from '../engine/counts.ts'
import { openQueues } from '../outbox/queues.ts'
import type { BundleRow } from './rows.ts'
import type { Tallies } from './sums/tallies.ts'
import { DELIVERED_COLUMNS, type DeliveredFacts } from './sums/tally.ts'

/** Deliveries that one call makes places of. */
const STEP = 4_096

interface SingleRow extends DeliveredFacts {
  readonly rank: number
}

interface Absorbed {
  readonly count: number
  /** One of them is the firing incident of an urgent problem. */
  readonly urgent: boolean
  /** More are left. */
  readonly full: boolean
}

const FACTS = `${DELIVERED_COLUMNS}, d.rank`

/**
 * Makes singles of a destination places of its digest: pending ones that were never tried, and dead ones of an earlier
 * digest; and untold repeats. A delivery that was sent again by an operator stays a single. Inside `write`.
 */
export type Absorb = ReturnType<typeof openAbsorb>

export function openAbsorb(context: StoreContext, tallies: Pick<Tallies, 'add' | 'fold'>) {
  const { db, counts } = context
  const { refreshDeliveries } = openQueues(context)
  const untried = `d.kind = ${KIND.delivery} AND d.destination = ? AND d.rank = ? AND d.state = ${STATE.pending}
    AND d.attempts = 0 AND d.earlier_attempts = 0 AND d.may_duplicate = 0 AND d.bundle IS NULL AND d.detail IS NULL`
  const all = db.query<SingleRow>(
    `SELECT ${FACTS} FROM dispatches d CROSS JOIN incidents i WHERE i.seq = d.incident AND ${untried}
     ORDER BY d.due_at, d.incident LIMIT ?`,
  )
  const old = db.query<SingleRow>(
    `SELECT ${FACTS} FROM dispatches d CROSS JOIN incidents i WHERE i.seq = d.incident AND ${untried} AND coalesce(d.placed_at, i.committed_at) < ?
     ORDER BY d.due_at, d.incident LIMIT ${STEP}`,
  )
  const one = db.query<SingleRow>(`SELECT ${FACTS} FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.incident = ? AND d.kind = ${KIND.delivery} AND d.destination = ? AND d.number = 0 AND d.state = ${STATE.dead}`)
  const repeats = db.query<SingleRow>(`SELECT ${FACTS} FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.bundle = ? AND d.place > ? AND d.state = ${STATE.folded} ORDER BY d.place LIMIT ${STEP}`)
  const place = db.command(
    `UPDATE dispatches SET state = ${STATE.folded}, due_at = NULL, bundle = ?, place = ?, dead_reason = NULL,
       earlier_attempts = earlier_attempts + attempts, attempts = 0
     WHERE incident = ? AND kind = ${KIND.delivery} AND destination = ? AND number = 0`,
  )

  function intoPlaces(lane: Lane, digest: BundleRow, rows: readonly SingleRow[], from: 'dead' | 'pending' | 'repeats') {
    const { since, folded } = digest.bundle
    rows.forEach((row, at) => {
      place.run(digest.id, folded + at + 1, row.incident, lane.code)
      if (from === 'pending') queueOf(counts, row.rank === RANK.urgent ? 'urgent' : 'delivery', lane.code).pending--
      if (from === 'pending' && row.committedAt >= since) tallies.fold(digest, row)
      else tallies.add(digest, row, 'folded')
    })
    if (rows.length > 0 && from === 'pending') refreshDeliveries(lane.code)
    return { count: rows.length, urgent: rows.some(isUrgent), full: rows.length >= STEP }
  }

  const pending = (of: (rank: number) => SingleRow[]) =>
    Object.values(RANK)
      .flatMap(of)
      .sort((a, b) => a.incident - b.incident)

  return {
    /** Takes all but the oldest `keep`. */
    beyond(lane: Lane, into: BundleRow, keep: number): Absorbed {
      const { pending: waiting } = queueOf(counts, 'delivery', lane.code)
      if (waiting + queueOf(counts, 'urgent', lane.code).pending <= keep) return NOTHING
      const rows = pending((rank) => all.all(lane.code, rank, keep + STEP))
      return intoPlaces(lane, into, rows.slice(keep, keep + STEP), 'pending')
    },
    /** Takes those that were committed, or placed at a fallback, before `before`, epoch milliseconds. */
    olderThan: (lane: Lane, into: BundleRow, before: number): Absorbed =>
      intoPlaces(lane, into, pending((rank) => old.all(lane.code, rank, before)).slice(0, STEP), 'pending'),
    /** Takes untold repeats of another bundle. */
    repeats: (lane: Lane, into: BundleRow, { id, bundle }: BundleRow): Absorbed => ({
      ...intoPlaces(lane, into, repeats.all(id, bundle.told), 'repeats'),
      urgent: false,
    }),
    /** Takes dead deliveries. */
    dead: (lane: Lane, into: BundleRow, incidents: readonly number[]): Absorbed =>
      intoPlaces(
        lane,
        into,
        incidents.flatMap((incident) => one.get(incident, lane.code) ?? []),
        'dead',
      ),
  }
}

const NOTHING: Absorbed = { count: 0, urgent: false, full: false }

const isUrgent = ({ rank, severity, status }: SingleRow & { readonly status: Status }) =>
  status === 'firing' && (rank === RANK.urgent || severityRank(severity) === 0)
