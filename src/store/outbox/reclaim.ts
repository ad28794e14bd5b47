import { kindName, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { Accounts } from '../noise/silences/accounts.ts'
import type { Leases } from './lease.ts'
import { type Notices, openSubjectOf } from './notices.ts'

interface LeaseRow {
  readonly incident: number
  readonly kind: number
  readonly destination: number
  readonly number: number
}

interface ReclaimDeps {
  readonly leases: Pick<Leases, 'lose'>
  readonly notices: Pick<Notices, 'refreshNextDue'>
  readonly accounts: Pick<Accounts, 'refreshNextDue'>
  /** The sender of a digest's revision died. */
  loseDigest(code: number, number: number): void
  /** Makes due again the signals of these incidents. */
  losePages(incidents: readonly number[]): void
}

/**
 * Opens `reclaim`, which ends leases whose holder is gone: the dispatches are pending again and may duplicate. `whose`:
 * leases of this life of the process, after its senders died, or of `earlier` lives. Walks all dispatches: an index of
 * leased ones would cost more in each turn than it saves here. Inside a transaction.
 */
export function openReclaim(
  { db, inFlight, lanes, owner }: StoreContext,
  { leases, notices, accounts, loseDigest, losePages }: ReclaimDeps,
) {
  const subjectOf = openSubjectOf(db)
  const leasedBy = { own: `lease_owner = ${owner}`, earlier: `lease_owner <> ${owner}` } as const
  return function reclaim(whose: keyof typeof leasedBy): void {
    inFlight.clear()
    const rows = query<LeaseRow>(
      db,
      `SELECT incident, kind, destination, number FROM dispatches
       WHERE state = ${STATE.sending} AND ${leasedBy[whose]} ORDER BY incident`,
    ).all()
    const pages: number[] = []
    for (const row of rows) {
      const { destination } = lanes.of(row.destination)
      const key = { ...row, kind: kindName(row.kind), destination, code: row.destination }
      if (key.kind === 'page') pages.push(key.incident)
      else leases.lose(key)
      if (key.kind === 'digest') loseDigest(key.code, key.number)
      if (key.kind !== 'notice') continue
      const about = subjectOf(key.number)
      if (about === undefined) accounts.refreshNextDue(key.code)
      else notices.refreshNextDue(about)
    }
    losePages(pages)
  }
}
