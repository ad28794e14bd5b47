import type { DispatchKey } from '../../domain/delivery/dispatch.ts'
import type { Way } from '../../policy/bundles/bundle-state.ts'
import { BUNDLE_KIND, BUNDLE_STATE, KIND, STATE } from '../engine/column-codes.ts'
import type { Lane } from '../engine/counts.ts'
import { type Statements, withoutNul } from '../engine/statement.ts'

/** Attempts of the bundle n are in the ledger under this number minus n, where an incident's would be. */
export const LEDGER_OFFSET = -(2 ** 41)

export const digestKey = ({ code, destination }: Lane, bundle: number): DispatchKey => ({
  kind: 'digest',
  destination,
  code,
  incident: 0,
  number: bundle,
})

interface NewRecord {
  /** Its number on disk. */
  readonly kind: number
  readonly subject: string | null
  readonly since: number
  readonly now: number
}

/** A revision that the provider took. */
interface ToldRevision {
  readonly number: number
  readonly through: number
  readonly way: Way
  /** Epoch milliseconds. */
  readonly at: number
  readonly messageId: string | undefined
}

/** What is kept of all bundles: their rows, their revisions, and their dispatches. Inside `write`. */
export type Records = ReturnType<typeof openRecords>

export function openRecords(db: Statements) {
  const insert = db.query<{ id: number }>(`INSERT INTO bundles (kind, destination, subject, since, opened_at, storm)
     VALUES (?1, ?2, ?3, ?4, ?5, CASE ?1 WHEN ${BUNDLE_KIND.storm} THEN (SELECT coalesce(max(storm), 0) + 1 FROM bundles WHERE storm IS NOT NULL) END)
     RETURNING id`)
  const insertDispatch = db.command(`INSERT INTO dispatches (incident, kind, destination, number, state, target)
     VALUES (0, ${KIND.digest}, ?, ?, ${STATE.pending}, ?)`)
  const revision = db.command(
    'INSERT INTO revisions (bundle, number, through, way, told_at, message_id) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const restart = db.command(
    `UPDATE dispatches SET earlier_attempts = earlier_attempts + attempts, attempts = 0, may_duplicate = 0
     WHERE incident = 0 AND kind = ${KIND.digest} AND number = ?`,
  )
  const close = db.command('UPDATE bundles SET closed_at = ?, dead_reason = ?, state = ? WHERE id = ?')
  const ended = db.command(
    `UPDATE dispatches SET state = ?, dead_reason = ? WHERE incident = 0 AND kind = ${KIND.digest} AND number = ?`,
  )
  const removeTallies = db.command('DELETE FROM tallies WHERE bundle = ?')
  const remove = openRemove(db)
  return {
    /** Begins a bundle; returns its number. */
    begin(lane: Lane, { kind, subject, since, now }: NewRecord): number {
      const id = insert.get(kind, lane.code, subject, since, now)?.id as number
      insertDispatch.run(lane.code, id, lane.target ?? null)
      return id
    },
    /** Records a revision; the next attempt is the first one of another. */
    told(bundle: number, { number, through, way, at, messageId: id }: ToldRevision): void {
      revision.run(bundle, number, through, way, at, id === undefined ? null : withoutNul(id))
      restart.run(bundle)
    },
    /** Deletes a bundle. */
    remove(bundle: number): void {
      removeTallies.run(bundle)
      remove(bundle)
    },
    close(bundle: number, now: number, deadReason: string | null): void {
      close.run(now, deadReason, deadReason === null ? BUNDLE_STATE.closed : BUNDLE_STATE.dead, bundle)
      ended.run(deadReason === null ? STATE.sent : STATE.dead, deadReason, bundle)
    },
  }
}

/** Opens the deletion of a bundle whose tallies are deleted. */
export function openRemove(db: Statements): (bundle: number) => void {
  const removals = [
    'revisions WHERE bundle = ?',
    `attempts WHERE incident = ${LEDGER_OFFSET} - ?`,
    `dispatches WHERE incident = 0 AND kind = ${KIND.digest} AND number = ?`,
    'bundles WHERE id = ?',
  ].map((rows) => db.command(`DELETE FROM ${rows}`))
  return (bundle) => {
    for (const removal of removals) removal.run(bundle)
  }
}
