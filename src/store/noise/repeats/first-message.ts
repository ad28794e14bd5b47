import { KIND, STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import { query } from '../../engine/statement.ts'

interface FirstRow {
  readonly state: number
  readonly bundle: number | null
  readonly message_id: string | null
  readonly subject: string | null
  readonly first_incident: number | null
  readonly dead_reason: string | null
}

interface FirstMessage {
  readonly incident: number | null
  /** The provider's id; null: it has none yet. Retention may delete the incident before the first edit. */
  readonly messageId: string | null
}

const ON_ITS_WAY: ReadonlySet<number> = new Set([STATE.pending, STATE.sending, STATE.sent, STATE.folded])

/** Opens the look at the latest incident of a problem: whether its destination was told of it, or will be. */
export function openFirstMessage({ db }: StoreContext) {
  const delivery = query<FirstRow>(
    db,
    `SELECT d.state, d.bundle, d.message_id, b.subject, b.first_incident, b.dead_reason FROM dispatches d LEFT JOIN bundles b ON b.id = d.bundle
     WHERE d.incident = ? AND d.kind = ${KIND.delivery} AND d.destination = ? AND d.number = 0`,
  )
  /** Returns the incident whose message may be edited, null when a digest told; undefined: the destination knows nothing. */
  return (code: number, incident: number): FirstMessage | undefined => {
    const row = delivery.get(incident, code)
    if (row === undefined || !ON_ITS_WAY.has(row.state) || row.dead_reason !== null) return undefined
    if (row.bundle === null) return { incident, messageId: row.message_id }
    return { incident: row.subject === null ? null : row.first_incident, messageId: null }
  }
}
