import type { DigestPlace, DigestPlacePage } from '../../../api/noise/digest.ts'
import type { Status } from '../../../domain/incident.ts'
import { isoTime, isoTimeOrNull } from '../../../text/iso-time.ts'
import type { StoreContext } from '../../engine/context.ts'
import { numberIn, pageOf, pageSize } from '../../incidents/filters.ts'
import { EFFECTIVE_STATUS } from '../../incidents/rows.ts'
import type { PlaceFilter } from './filters.ts'

interface PlaceRow {
  readonly place: number
  readonly id: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly created_at: number
}

/** A confirmed revision. */
interface Telling {
  readonly number: number
  readonly told_at: number
}

/** Opens the list of a digest's places that are still stored. Throws `bad_parameter` for a cursor that is not valid. */
export function openPlaces({ db }: StoreContext) {
  const exists = db.query<object>('SELECT 1 FROM bundles WHERE id = ?')
  const rows = db.query<PlaceRow>(
    `SELECT d.place, i.id, i.title, i.service, i.severity, ${EFFECTIVE_STATUS} AS status, i.created_at
     FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.bundle = ? AND d.place > ? ORDER BY d.place LIMIT ?`,
  )
  const revisions = db.query<Telling & { readonly through: number }>(
    'SELECT number, through, told_at FROM revisions WHERE bundle = ? AND through > ? ORDER BY number',
  )
  return function places({ number, limit, cursor }: PlaceFilter): DigestPlacePage | undefined {
    const after = numberIn(cursor, 0)
    if (exists.get(number) === undefined) return undefined
    const size = pageSize(limit)
    const { page, last } = pageOf(rows.all(number, after, size + 1), size)
    const told = revisions.all(number, after)
    let at = 0
    return {
      places: page.map((row) => {
        while (at < told.length && (told[at]?.through ?? 0) < row.place) at++
        return placeOf(row, told[at])
      }),
      next_cursor: last === undefined ? null : String(last.place),
    }
  }
}

const placeOf = ({ id, created_at, ...row }: PlaceRow, telling: Telling | undefined): DigestPlace => ({
  ...row,
  incident_id: id,
  created_at: isoTime(created_at),
  update: telling?.number ?? null,
  notified_at: isoTimeOrNull(telling?.told_at ?? null),
})
