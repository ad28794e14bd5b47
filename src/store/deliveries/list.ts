import type { DeliveryPage } from '../../api/delivery.ts'
import { CodedError } from '../../domain/errors.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type DeliveryFilter, pageOf, pageSize } from '../incidents/filters.ts'
import { DELIVERY_COLUMNS, type DeliveryRow } from '../incidents/rows.ts'
import { deliveryRecord } from '../incidents/views.ts'

interface ListedRow extends DeliveryRow {
  readonly id: string
  readonly title: string
}

/**
 * Opens the list of deliveries, those of the newest incidents first. Throws `bad_parameter` for a cursor that is not
 * valid.
 */
export function openDeliveryList({ db, lanes }: StoreContext) {
  return function deliveries({ state, channel, limit, cursor }: DeliveryFilter): DeliveryPage {
    const size = pageSize(limit)
    // Constants in the SQL text, not parameters: a partial index applies only when the planner sees the value.
    const clauses = [
      `d.kind = ${KIND.delivery}`,
      ...(state === undefined ? [] : [`d.state = ${STATE[state]}`]),
      ...(channel === undefined ? [] : [`d.destination IN (${lanes.all(channel).map(({ code }) => code)})`]),
    ]
    const rows = db.query<ListedRow>(`SELECT ${DELIVERY_COLUMNS}, i.id, i.title FROM dispatches d CROSS JOIN incidents i
       WHERE i.seq = d.incident AND ${[...clauses, '(d.incident, d.kind, d.destination) < (?, ?, ?)'].join(' AND ')}
       ORDER BY d.incident DESC, d.kind DESC, d.destination DESC LIMIT ?`)
    const { page, last } = pageOf(rows.all(...before(cursor), size + 1), size)
    return {
      deliveries: page.map((row) => ({ incident_id: row.id, title: row.title, ...deliveryRecord(row) })),
      next_cursor: last === undefined ? null : `${last.incident}.${last.destination}`,
    }
  }
}

function before(cursor: string | undefined): [incident: number, kind: number, channel: number] {
  if (cursor === undefined) return [Number.MAX_SAFE_INTEGER, KIND.delivery, 0]
  const [, incident, channel] = /^(\d{1,15})\.(\d{1,5})$/.exec(cursor) ?? []
  if (incident === undefined) throw new CodedError('bad_parameter', 'cursor must be the next_cursor of an answer')
  return [Number(incident), KIND.delivery, Number(channel)]
}
