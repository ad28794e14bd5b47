import type { OncallRecord } from '../../api/oncall.ts'
import type { Escalation, Signal } from '../../domain/escalation.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import {
  DESTINATION_CODE,
  KIND,
  PHASE,
  PROVIDER_KNOWS,
  phaseName,
  providerKnowsName,
  STATE,
} from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { queueOf } from '../engine/counts.ts'
import { command, query, withoutNul } from '../engine/statement.ts'
import { LEASE_MS } from '../outbox/lease.ts'
import { addPending } from '../outbox/queues.ts'

/** Escalations of a fingerprint that `openOf` looks at: a sender that never resolves leaves any number. */
const NEWEST = 64

/** Columns of `oncall`, and of the page that is to be sent next: null, when there is none. */
export interface OncallRow {
  readonly incident: number
  readonly fingerprint: string
  readonly phase: number
  readonly heard: number
  readonly due_at: number
  readonly wait_ms: number
  readonly paged_at: number | null
  readonly provider: string | null
  readonly state: number | null
  readonly attempts: number | null
  readonly next_at: number | null
  readonly signal: Signal | null
}

export const ONCALL_COLUMNS = `o.incident, o.fingerprint, o.phase, o.heard, o.due_at, o.wait_ms, o.paged_at, o.provider,
  d.state, d.attempts, d.due_at AS next_at, d.detail AS signal`
const PAGE_KEY = `kind = ${KIND.page} AND destination = ${DESTINATION_CODE.oncall} AND number = 0`
export const SELECT_ONCALL = `SELECT ${ONCALL_COLUMNS} FROM oncall o LEFT JOIN dispatches d ON d.incident = o.incident AND ${PAGE_KEY}`

export function escalationOf(row: OncallRow): Escalation {
  const { signal, next_at: at, attempts } = row
  const escalation = { phase: phaseName(row.phase), providerKnows: providerKnowsName(row.heard) }
  if (signal === null || at === null) return escalation
  return {
    ...escalation,
    next: { signal, at, attempts: attempts ?? 0, state: isLeased(row) ? 'in flight' : 'waiting' },
  }
}

/** The page is with the pager. */
export const isLeased = ({ state }: OncallRow) => state === STATE.sending

/** The incident that a page was made for. `members`: JSON. */
interface OpenPage {
  readonly severity: string
  readonly members: string | null
}

/** Range of the due times of escalations, epoch milliseconds. */
interface DueRange {
  readonly from: number
  readonly to: number
}

/**
 * One row of `oncall` for each escalation, and its page: a dispatch while a signal is to be sent. Changes inside
 * `write`.
 */
export interface EscalationRows {
  /** The page is made with the incident's other dispatches. */
  arm(timer: { incident: number; fingerprint: string; dueAt: number; waitMs: number }): void
  /** As `arm`, without a page: it waits for the end of a silence. */
  hold(timer: { incident: number; fingerprint: string; dueAt: number; waitMs: number }): void
  postpone(incident: number, dueAt: number): void
  /** Rows of the fingerprint that are held. */
  heldOf(fingerprint: string): OncallRow[]
  find(incident: number): OncallRow | undefined
  /** Returns the incidents of open escalations, of the newest ones only. */
  openOf(fingerprint: string, due: DueRange): OpenPage[]
  join(incident: number, fingerprint: string, at: number): void
  /** Resolves those that joined, and returns them. */
  resolveJoined(fingerprint: string): number[]
  /** Rows that a resolution of the fingerprint would change. */
  unresolvedOf(fingerprint: string): OncallRow[]
  save(incident: number, was: Escalation, is: Escalation): void
  markPaged(incident: number, at: number, provider: string): void
}

export function openRows(context: StoreContext): EscalationRows {
  const { db } = context
  const insert = command(
    db,
    `INSERT INTO oncall (incident, fingerprint, phase, heard, due_at, wait_ms)
     VALUES (?1, ?2, ?5, ${PROVIDER_KNOWS.no}, ?3, ?4)`,
  )
  const postpone = command(db, 'UPDATE oncall SET due_at = ? WHERE incident = ?')
  const held = query<OncallRow>(db, `${SELECT_ONCALL} WHERE o.fingerprint = ? AND o.phase = ${PHASE.held}`)
  const save = command(db, 'UPDATE oncall SET phase = ?, heard = ? WHERE incident = ?')
  const paged = command(db, 'UPDATE oncall SET paged_at = ?, provider = ? WHERE incident = ?')
  const one = query<OncallRow>(db, `${SELECT_ONCALL} WHERE o.incident = ?`)
  const ofFingerprint = query<OncallRow>(
    db,
    `${SELECT_ONCALL} WHERE o.fingerprint = ? AND o.phase < ${PHASE.resolved} ORDER BY o.incident`,
  )
  const openOf = query<OpenPage>(
    db,
    `SELECT i.severity, i.members FROM (
       SELECT incident, phase, due_at FROM oncall WHERE fingerprint = ? AND phase < ${PHASE.resolved} ORDER BY incident DESC LIMIT ${NEWEST}
     ) newest JOIN incidents i ON i.seq = newest.incident WHERE phase <> ${PHASE.failed} AND due_at BETWEEN ? AND ?`,
  )
  const join = command(
    db,
    `INSERT INTO oncall (incident, fingerprint, phase, heard, due_at, wait_ms)
     VALUES (?, ?, ${PHASE.joined}, ${PROVIDER_KNOWS.no}, ?, 0)`,
  )
  const resolveJoined = query<{ incident: number }>(
    db,
    `UPDATE oncall SET phase = ${PHASE.resolved} WHERE fingerprint = ? AND phase = ${PHASE.joined} RETURNING incident`,
  )
  const savePage = openSavePage(context)
  return {
    arm({ incident, fingerprint, dueAt, waitMs }) {
      insert.run(incident, withoutNul(fingerprint), dueAt, waitMs, PHASE.armed)
    },
    hold({ incident, fingerprint, dueAt, waitMs }) {
      insert.run(incident, withoutNul(fingerprint), dueAt, waitMs, PHASE.held)
    },
    postpone: (incident, dueAt) => void postpone.run(dueAt, incident),
    heldOf: (fingerprint) => held.all(withoutNul(fingerprint)),
    find: (incident) => one.get(incident),
    openOf: (fingerprint, { from, to }) => openOf.all(withoutNul(fingerprint), from, to),
    join: (incident, fingerprint, at) => void join.run(incident, withoutNul(fingerprint), at),
    resolveJoined: (fingerprint) => resolveJoined.all(withoutNul(fingerprint)).map(({ incident }) => incident),
    unresolvedOf: (fingerprint) => ofFingerprint.all(withoutNul(fingerprint)),
    save(incident, was, is) {
      if (was.phase !== is.phase || was.providerKnows !== is.providerKnows)
        save.run(PHASE[is.phase], PROVIDER_KNOWS[is.providerKnows], incident)
      if (was.next !== is.next) savePage(incident, was.next, is)
    },
    markPaged(incident, at, provider) {
      paged.run(at, provider, incident)
    },
  }
}

/** Makes the row of a page what its escalation says, and counts it. The caller refreshes the next due time. */
function openSavePage({ db, counts, owner, now }: StoreContext) {
  const replace = command(
    db,
    `INSERT INTO dispatches (incident, kind, destination, number, state, attempts, due_at, may_duplicate,
       lease_owner, lease_until, detail)
     VALUES (?, ${KIND.page}, ${DESTINATION_CODE.oncall}, 0, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (incident, kind, destination, number) DO UPDATE SET state = excluded.state, attempts = excluded.attempts,
       due_at = excluded.due_at, may_duplicate = excluded.may_duplicate, lease_owner = excluded.lease_owner,
       lease_until = excluded.lease_until, detail = excluded.detail`,
  )
  const remove = command(db, `DELETE FROM dispatches WHERE incident = ? AND ${PAGE_KEY}`)
  return (incident: number, was: Escalation['next'], { next, providerKnows }: Escalation) => {
    const queue = queueOf(counts, 'page', DESTINATION_CODE.oncall)
    if (was !== undefined) queue[was.state === 'in flight' ? 'sending' : 'pending']--
    if (next === undefined) {
      remove.run(incident)
      return
    }
    const leased = next.state === 'in flight'
    replace.run(
      incident,
      leased ? STATE.sending : STATE.pending,
      next.attempts,
      next.at,
      providerKnows === 'maybe' ? 1 : 0,
      leased ? owner : null,
      leased ? now() + LEASE_MS : null,
      next.signal,
    )
    if (leased) queue.sending++
    else addPending(queue, next.at)
  }
}

export function oncallRecord(row: OncallRow): OncallRecord {
  const { paged_at, due_at, signal, next_at } = row
  return {
    state: phaseName(row.phase),
    due_at: isoTime(due_at),
    provider: row.provider,
    dedup_key: row.fingerprint,
    paged_at: isoTimeOrNull(paged_at),
    late_ms: paged_at === null ? null : Math.max(0, paged_at - due_at),
    next_signal: signal,
    next_attempt_at: isoTimeOrNull(next_at),
  }
}
