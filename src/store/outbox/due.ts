import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { DispatchKey, MessageDispatch } from '../../domain/delivery/dispatch.ts'
import { KIND, PHASE, STATE } from '../engine/column-codes.ts'
import { listOf, type Statements } from '../engine/statement.ts'
import type { PayloadSlice } from '../journal/payloads.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'

/** A due delivery or follow-up with its incident. */
export interface DueRow
  extends PayloadSlice,
    DeliveryFacts,
    Pick<MessageDispatch, 'incident' | 'number' | 'source' | 'sender' | 'service'> {
  readonly detail: string | null
  readonly committed_at: number
  readonly destination: number
  /** Number of the decision; null: the defaults. */
  readonly decision: number | null
  /** 0: its incident neither pages nor has paged. */
  readonly pages: number
  /** Number of the problem. */
  readonly problem: number
}

/** The page of the incident is to come, or is open. */
const PAGING = listOf([PHASE.armed, PHASE.paging, PHASE.paged, PHASE.acknowledged, PHASE.held])
const COLUMNS = `d.incident, d.destination, d.number, d.rank, i.decision, d.attempts, d.earlier_attempts, d.may_duplicate, d.due_at, d.target, d.detail, i.id, i.created_at,
       i.committed_at, i.source, i.sender, i.title, i.service, i.severity, i.status, i.fingerprint, i.silence, CASE WHEN i.page IN (${PAGING}) THEN 1 ELSE i.oncall_triggered END AS pages, i.problem, i.seq, i.content_start, i.content_bytes`

/** Opens the read of due rows of a kind, destination and rank, in order of due time, then of commit. */
export function openDue(db: Statements) {
  // CROSS JOIN fixes the order of the tables: SQLite starts from the index of due dispatches.
  return db.query<DueRow>(`SELECT ${COLUMNS}
     FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.kind = ? AND d.destination = ? AND d.rank = ? AND d.state = ${STATE.pending} AND d.due_at <= ?
     ORDER BY d.due_at, d.incident LIMIT ?`)
}

/** Opens the read of the delivery of an incident to a destination, whatever its state. */
export const openDelivery = (db: Statements) =>
  db.query<
    DueRow & { readonly state: number; readonly bundle: number | null; readonly message_id: string | null }
  >(`SELECT ${COLUMNS}, d.state, d.bundle, d.message_id
     FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.incident = ? AND d.kind = ${KIND.delivery} AND d.destination = ? AND d.number = 0`)

export const keyOf = (
  { incident, number, destination: code }: Pick<DueRow, 'incident' | 'number' | 'destination'>,
  kind: DispatchKey['kind'],
  destination: ChannelName,
): DispatchKey => ({ kind, destination, code, incident, number })
