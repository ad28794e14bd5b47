import type { Status } from '../../domain/incident.ts'
import type { Way } from '../../policy/bundles/bundle-state.ts'
import { BUNDLE_KIND, STATE } from '../engine/column-codes.ts'
import { withoutNul } from '../engine/statement.ts'
import type { Fallbacks } from '../noise/fallbacks.ts'
import type { StoreParts } from '../parts.ts'
import type { Concluded } from '../ports/outbox.ts'
import type { BundleRows } from './rows.ts'

/** Incidents of one turn: concluding them costs as much as settling as many deliveries. */
const STEP = 512

interface PlaceRow {
  readonly place: number
  readonly incident: number
  readonly severity: string
  readonly fingerprint: string
  readonly status: Status
  readonly committedAt: number
  /** It waited for the end of a silence. */
  readonly silence: number | null
}

/** A bundle with places whose outcome is known, and whose incidents are not concluded. */
interface WindingRow {
  readonly id: number
  readonly destination: number
  readonly kind: number
  readonly told: number
  readonly settled: number
  readonly wound: number
  readonly dead_reason: string | null
  readonly message_id: string | null
}

/**
 * Concludes the incidents of places that were told or are dead: their deliveries end, and with the last one the incident's
 * `notify_status`. What is left to do is read from disk. Inside `write`.
 */
export function openWindUp(context: StoreParts, rows: Pick<BundleRows, 'flush'>, fallbacks: Pick<Fallbacks, 'place'>) {
  const { db, counts, lanes, statusTracker, tellings } = context
  const next = db.query<WindingRow>(
    `SELECT id, destination, kind, told, settled, wound, dead_reason, message_id FROM bundles WHERE wound < settled ORDER BY id LIMIT 1`,
  )
  const left = db.query<{ places: number | null }>(
    'SELECT sum(settled - wound) AS places FROM bundles WHERE wound < settled',
  )
  const revision = db.query<{ through: number; way: Way; told_at: number }>(
    'SELECT through, way, told_at FROM revisions WHERE bundle = ? AND through > ? ORDER BY number LIMIT 1',
  )
  const places = db.query<PlaceRow>(
    `SELECT d.place, d.incident, i.severity, i.fingerprint, i.status, i.committed_at AS "committedAt", i.silence FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.bundle = ? AND d.place > ? AND d.place <= ? AND d.state = ${STATE.folded} ORDER BY d.place LIMIT ${STEP}`,
  )
  const end = db.command(
    `UPDATE dispatches SET state = ?, dead_reason = ? WHERE bundle = ? AND place > ? AND place <= ? AND state = ${STATE.folded}`,
  )
  const advance = db.command('UPDATE bundles SET wound = ? WHERE id = ?')

  /** Resolutions of the problems of a group answer its message. */
  function inGroup({ destination, message_id: messageId }: WindingRow, found: readonly PlaceRow[]): void {
    if (messageId === null) return
    for (const { fingerprint, status, incident } of found)
      if (status === 'firing') tellings.confirmed(fingerprint, destination, { incident, messageId, isShared: true })
  }

  function conclude(row: WindingRow): Concluded[] {
    const { id, destination: code, kind, told, settled, wound, dead_reason } = row
    const telling = wound < told ? revision.get(id, wound) : undefined
    const through = telling === undefined ? (wound < told ? told : settled) : Math.min(told, telling.through)
    const outcome = wound < told ? 'sent' : 'dead'
    const found = places.all(id, wound, through)
    const last = found.length < STEP ? through : (found.at(-1)?.place ?? through)
    end.run(STATE[outcome], outcome === 'sent' ? null : withoutNul(dead_reason ?? ''), id, wound, last)
    advance.run(last, id)
    counts.winding -= last - wound
    const lane = lanes.ofChannel(code)
    counts.health[lane.destination][outcome] += found.length
    for (const { incident } of found) {
      if (outcome === 'dead') fallbacks.place(lane, incident)
      statusTracker.finish(incident, outcome)
    }
    if (outcome === 'sent' && kind === BUNDLE_KIND.group) inGroup(row, found)
    // The wait of what is told beside a message is wanted.
    if (telling === undefined || kind !== BUNDLE_KIND.storm) return []
    const { way, told_at: toldAt } = telling
    return found
      .filter(({ silence }) => silence === null)
      .map(({ severity, committedAt }) => ({ code, severity, way, committedAt, toldAt }))
  }

  return {
    /** Concludes the next incidents, at most 512. */
    next(): Concluded[] {
      if (counts.winding === 0) return []
      rows.flush()
      const row = next.get()
      return row === undefined ? [] : conclude(row)
    },
    /** Reads from disk how much is left to do. */
    load(): void {
      counts.winding = left.get()?.places ?? 0
    },
  }
}
