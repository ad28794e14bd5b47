import type { DatabaseSync } from 'node:sqlite'
import type { Escalation } from '../../domain/escalation.ts'
import { PHASE, PROVIDER_KNOWS, phaseName, providerKnowsName, SIGNAL, signalName } from '../engine/column-codes.ts'
import { command, query, withoutNul } from '../engine/statement.ts'

/** Columns of `oncall`. */
export interface OncallRow {
  readonly incident: number
  readonly fingerprint: string
  readonly phase: number
  readonly heard: number
  readonly signal: number | null
  readonly under_way: number
  readonly attempts: number
  readonly next_at: number | null
  readonly due_at: number
  readonly wait_ms: number
  readonly paged_at: number | null
  readonly provider: string | null
}

export function escalationOf(row: OncallRow): Escalation {
  const { signal, next_at: at, attempts } = row
  const state = { phase: phaseName(row.phase), providerKnows: providerKnowsName(row.heard) }
  if (signal === null || at === null) return state
  return {
    ...state,
    next: { signal: signalName(signal), at, attempts, state: row.under_way === 1 ? 'in flight' : 'waiting' },
  }
}

/** The table `oncall`: one row for each escalation. Changes inside `write`. */
export interface EscalationRows {
  arm(timer: { incident: number; fingerprint: string; dueAt: number; waitMs: number }): void
  find(incident: number): OncallRow | undefined
  /** Rows that a resolution of the fingerprint would change. */
  unresolvedOf(fingerprint: string): OncallRow[]
  /** Rows whose signal is leased. */
  inFlight(): OncallRow[]
  save(incident: number, state: Escalation): void
  markPaged(incident: number, at: number, provider: string): void
}

export function openRows(db: DatabaseSync): EscalationRows {
  const insert = command(
    db,
    `INSERT INTO oncall (incident, fingerprint, phase, heard, signal, under_way, attempts, next_at, due_at, wait_ms)
     VALUES (?1, ?2, ${PHASE.armed}, ${PROVIDER_KNOWS.no}, ${SIGNAL.trigger}, 0, 0, ?3, ?3, ?4)`,
  )
  const save = command(
    db,
    'UPDATE oncall SET phase = ?, heard = ?, signal = ?, under_way = ?, attempts = ?, next_at = ? WHERE incident = ?',
  )
  const paged = command(db, 'UPDATE oncall SET paged_at = ?, provider = ? WHERE incident = ?')
  const one = query<OncallRow>(db, 'SELECT * FROM oncall WHERE incident = ?')
  const ofFingerprint = query<OncallRow>(
    db,
    `SELECT * FROM oncall WHERE fingerprint = ? AND phase < ${PHASE.resolved} ORDER BY incident`,
  )
  const handedOut = query<OncallRow>(db, 'SELECT * FROM oncall WHERE under_way = 1 ORDER BY incident')
  return {
    arm({ incident, fingerprint, dueAt, waitMs }) {
      insert.run(incident, withoutNul(fingerprint), dueAt, waitMs)
    },
    find: (incident) => one.get(incident),
    unresolvedOf: (fingerprint) => ofFingerprint.all(withoutNul(fingerprint)),
    inFlight: () => handedOut.all(),
    save(incident, { phase, providerKnows, next }) {
      const nextSignal = next === undefined ? null : SIGNAL[next.signal]
      const underWay = next?.state === 'in flight' ? 1 : 0
      save.run(
        PHASE[phase],
        PROVIDER_KNOWS[providerKnows],
        nextSignal,
        underWay,
        next?.attempts ?? 0,
        next?.at ?? null,
        incident,
      )
    },
    markPaged(incident, at, provider) {
      paged.run(at, provider, incident)
    },
  }
}
