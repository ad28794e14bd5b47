import type { Destination } from '../../domain/delivery/delivery.ts'
import type { Failures } from '../../domain/delivery/notice.ts'
import { CHANNEL_CODE, KIND, PHASE, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'

/** Runs of which nobody took the problem, and what is said of the latest. */
export type Exhausted = () => { readonly runs: number; readonly reason: string }

/** Opens the read of what is dead of a destination now. `exhausted` undefined: the configuration has no escalations. */
export function openFailures({ db }: StoreContext, exhausted: Exhausted | undefined): (about: Destination) => Failures {
  const dead = db.query<{ dead: number; last: number | null }>(
    `SELECT count(*) AS dead, max(incident) AS last FROM dispatches
     WHERE destination IN (SELECT code FROM destinations WHERE channel = ?) AND kind = ${KIND.delivery} AND state = ${STATE.dead}`,
  )
  const reason = db.query<{ dead_reason: string | null }>(
    `SELECT dead_reason FROM dispatches WHERE incident = ? AND kind = ${KIND.delivery} AND state = ${STATE.dead}
       AND destination IN (SELECT code FROM destinations WHERE channel = ?)`,
  )
  const pagesFailed = db.query<{ dead: number; reason: string | null }>(`SELECT dead, i.oncall_error AS reason
     FROM (SELECT count(*) AS dead, max(incident) AS last FROM pages WHERE phase = ${PHASE.failed}) failed
       LEFT JOIN incidents i ON i.seq = failed.last`)
  return (about) => {
    if (about === 'oncall') {
      const row = pagesFailed.get()
      const { runs, reason } = exhausted?.() ?? { runs: 0, reason: '' }
      const failed = { dead: (row?.dead ?? 0) + runs, reason: row?.reason ?? reason }
      return { kind: 'failures', about, ...failed, ...(runs > 0 && { runs }) }
    }
    const { dead: count = 0, last = null } = dead.get(CHANNEL_CODE[about]) ?? {}
    const row = last === null ? undefined : reason.get(last, CHANNEL_CODE[about])
    return { kind: 'failures', about, dead: count, reason: row?.dead_reason ?? '' }
  }
}
