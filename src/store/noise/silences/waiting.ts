import type { Subject } from '../../../policy/fields.ts'
import { KIND, PHASE, STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { PayloadSlice, Payloads } from '../../journal/payloads.ts'
import { openQueues } from '../../outbox/queues.ts'

/** Deliveries, and timers, that one step reads to hold them, and numbers of incidents among which it does. */
const STEP = 64
export const SPAN = 8_192

/** Columns of `incidents i` that a silence compares. */
export const SUBJECT_COLUMNS =
  'i.seq, i.sender, i.source, i.title, i.service, i.severity, i.status, i.fingerprint, i.content_start, i.content_bytes'

export type SubjectRow = Omit<Subject, 'content'> & PayloadSlice

/** Reads the payload when a condition asks for it. */
export function subjectOf(row: SubjectRow, payloads: Pick<Payloads, 'of'>): Subject {
  const { sender, source, title, service, severity, status, fingerprint } = row
  return {
    ...{ sender, source, title, service, severity, status, fingerprint },
    get content() {
      return payloads.of(row)
    },
  }
}

/** A pending delivery. */
export interface WaitingRow extends SubjectRow {
  readonly destination: number
  readonly rank: number
  readonly committed_at: number
  /** Number of the incident before it of its problem. */
  readonly previous: number | null
  readonly problem: number
}

/** Returns the number up to which a step has read all that waits: the rows of the last incident may not be complete. */
export function throughOf(rows: readonly SubjectRow[], after: number, to: number): number {
  const last = rows.length < STEP ? undefined : rows.at(-1)
  return last === undefined ? to : Math.max(last.seq - 1, after + 1)
}

/** Opens the reads of deliveries that may not have arrived, and of timers that run, of a span of incidents. */
export function openWaiting(context: StoreContext) {
  const { db, counts, now } = context
  const { refreshDeliveries } = openQueues(context)
  const deliveries = db.query<WaitingRow>(
    `SELECT ${SUBJECT_COLUMNS}, i.committed_at, i.previous, i.problem, d.destination, d.rank FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.incident > ? AND d.incident <= ? AND d.kind = ${KIND.delivery} AND +d.state = ${STATE.pending} AND d.may_duplicate = 0
       AND d.earlier_attempts = 0 AND d.detail IS NULL AND d.bundle IS NULL ORDER BY d.incident, d.destination LIMIT ${STEP}`,
  )
  const timers = db.query<SubjectRow>(
    `SELECT ${SUBJECT_COLUMNS} FROM incidents i WHERE i.seq > ? AND i.seq <= ? AND i.page = ${PHASE.armed} ORDER BY i.seq LIMIT ${STEP}`,
  )
  const dueTimers = db.query<SubjectRow>(`SELECT ${SUBJECT_COLUMNS} FROM pages p CROSS JOIN incidents i
     WHERE i.seq = p.timer_incident AND p.timer = ${PHASE.armed} AND p.leased = 0 AND p.signal_at <= ?1 AND p.due_at <= ?1
     ORDER BY p.signal_at, p.problem, p.target LIMIT ?2`)
  return {
    deliveries: (after: number, to: number) => deliveries.all(after, to),
    timers: (after: number, to: number) => (counts.pages === 0 ? [] : timers.all(after, to)),
    dueTimers: (limit: number) => dueTimers.all(now(), limit),
    refresh(codes: ReadonlySet<number>) {
      for (const code of codes) refreshDeliveries(code)
    },
  }
}
