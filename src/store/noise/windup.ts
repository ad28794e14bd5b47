import { BUNDLE_KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Winding } from '../engine/counts.ts'
import { command, query, withoutNul } from '../engine/statement.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import type { Concluded } from '../ports/outbox.ts'
import type { Fallbacks } from './fallbacks.ts'

/** Incidents of one turn: concluding them costs as much as settling as many deliveries. */
const STEP = 512

interface PlaceRow {
  readonly place: number
  readonly incident: number
  readonly severity: string
  readonly committedAt: number
  /** It waited for the end of a silence. */
  readonly silence: number | null
}

interface OpenRow {
  readonly id: number
  readonly destination: number
  readonly folded: number
  readonly told: number
  readonly wound: number
  readonly dead_reason: string | null
  readonly repeats: number
  readonly way: string | null
  readonly told_at: number | null
}

interface WindUpDeps {
  readonly statusTracker: Pick<NotifyStatusTracker, 'finish'>
  readonly fallbacks: Pick<Fallbacks, 'place'>
}

/**
 * Concludes the incidents of places that were told or are dead: their deliveries end, and with the last one the incident's
 * `notify_status`. Inside `write`.
 */
export type WindUp = ReturnType<typeof openWindUp>

export function openWindUp(context: StoreContext, { statusTracker, fallbacks }: WindUpDeps) {
  const { db, counts, lanes } = context
  const places = query<PlaceRow>(
    db,
    `SELECT d.place, d.incident, i.severity, i.committed_at AS "committedAt", i.silence FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.bundle = ? AND d.place > ? AND d.place <= ? AND d.state = ${STATE.folded} ORDER BY d.place LIMIT ${STEP}`,
  )
  const end = command(
    db,
    `UPDATE dispatches SET state = ?, dead_reason = ? WHERE bundle = ? AND place > ? AND place <= ? AND state = ${STATE.folded}`,
  )
  const advance = command(db, 'UPDATE bundles SET wound = ? WHERE id = ?')
  const open = query<OpenRow>(
    db,
    `SELECT id, destination, folded, told, wound, dead_reason, kind <> ${BUNDLE_KIND.storm} AS repeats, r.way, r.told_at FROM bundles
       LEFT JOIN revisions r ON r.bundle = id AND r.number = bundles.revision
     WHERE wound < CASE WHEN dead_reason IS NULL THEN told ELSE folded END ORDER BY id`,
  )

  function conclude({ bundle, code, repeats, after, through, outcome }: Winding): Concluded[] {
    const rows = places.all(bundle, after, through)
    const last = rows.length < STEP ? through : (rows.at(-1)?.place ?? through)
    const sent = outcome.state === 'sent'
    end.run(sent ? STATE.sent : STATE.dead, sent ? null : withoutNul(outcome.reason), bundle, after, last)
    advance.run(last, bundle)
    const rest = last < through ? [{ bundle, code, repeats: repeats === true, after: last, through, outcome }] : []
    counts.winding = [...rest, ...counts.winding.slice(1)]
    const lane = lanes.ofChannel(code)
    counts.health[lane.destination][outcome.state] += rows.length
    for (const { incident } of rows) {
      if (!sent) fallbacks.place(lane, incident)
      statusTracker.finish(incident, outcome.state)
    }
    if (outcome.state === 'dead' || repeats) return []
    const { way, at: toldAt } = outcome
    return rows
      .filter(({ silence }) => silence === null)
      .map(({ severity, committedAt }) => ({ code, severity, way, committedAt, toldAt }))
  }

  return {
    /** Concludes the next incidents, at most 512. */
    next(): Concluded[] {
      const [winding] = counts.winding
      return winding === undefined ? [] : conclude(winding)
    },
    /** Reads from disk what is left to do. */
    load() {
      counts.winding = open.all().flatMap((row) => {
        const { id: bundle, destination: code, wound, told, folded, dead_reason: reason } = row
        const at = row.told_at ?? 0
        const repeats = row.repeats === 1
        const way = row.way === 'edit' ? 'edit' : 'post'
        const sent = {
          bundle,
          code,
          repeats,
          after: wound,
          through: told,
          outcome: { state: 'sent', way, at },
        } as const
        const after = Math.max(wound, told)
        const dead = {
          bundle,
          code,
          repeats,
          after,
          through: folded,
          outcome: { state: 'dead', reason: reason ?? '' },
        } as const
        return [...(wound < told ? [sent] : []), ...(reason !== null && after < folded ? [dead] : [])]
      })
    },
  }
}
