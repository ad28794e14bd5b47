import type { DispatchKey } from '../../domain/delivery/dispatch.ts'
import { kindName, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { inSteps } from '../engine/steps.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { openLosePages } from '../pages/recovery.ts'
import { openRefreshNotice } from './settle-notices.ts'

/** Ends leases whose holder is gone: the dispatches are pending again and may duplicate. Inside a transaction. */
export type Reclaim = ReturnType<typeof openReclaim>

export function openReclaim(context: NoiseParts) {
  const { inFlight, leases, bundles } = context
  const losePages = openLosePages(context)
  const refreshNotice = openRefreshNotice(context)
  return {
    /** Makes messages pending again. */
    loseMessages(leased: readonly DispatchKey[]): void {
      inFlight.clear()
      for (const key of leased) leases.lose(key)
    },
    /** After `loseMessages`: tells those that count them in a way of their own. */
    loseOthers(leased: readonly DispatchKey[]): void {
      for (const key of leased) {
        if (key.kind === 'digest') bundles.lose(key.number)
        if (key.kind === 'notice') refreshNotice(key)
      }
      losePages()
    },
  }
}

interface LeaseRow {
  readonly incident: number
  readonly kind: number
  readonly destination: number
  readonly number: number
}

/**
 * Returns what this life of the process has leased, or `earlier` ones. Walks all dispatches in steps: an index of leased ones
 * would cost more in each turn than it saves here.
 */
export function leasedBy(whose: 'own' | 'earlier', { db, lanes, owner }: StoreContext): DispatchKey[] {
  const leased: LeaseRow[] = []
  inSteps(db, { table: 'dispatches', key: ['incident'], first: -1 }, (range) => {
    const rows = db.query<LeaseRow>(`SELECT incident, kind, destination, number FROM dispatches
       WHERE ${range} AND state = ${STATE.sending} AND lease_owner ${whose === 'own' ? '=' : '<>'} ${owner} ORDER BY incident`)
    return (...bounds) => void leased.push(...rows.all(...bounds))
  })
  return leased.map(({ incident, kind, destination: code, number }) => {
    return { incident, kind: kindName(kind), destination: lanes.of(code).destination, code, number }
  })
}
