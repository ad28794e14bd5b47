import type { NotifyStatus } from '../../domain/incident.ts'
import { CHANNEL_CODE, KIND, NOTIFY, STATE, stateName } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lanes } from '../engine/lanes.ts'

const MAX_ERROR_CHARACTERS = 500

interface EndedRow {
  readonly destination: number
  readonly state: number
  readonly dead_reason: string | null
}

/**
 * Keeps `notify_status` of incidents. States: `pending` while a delivery is unfinished, leaves to `sent`, `partial` or
 * `failed` with the last one, to `silenced` when none was due; each of those leaves to `pending` on replay and resend. Inside `write`.
 */
export function openNotifyStatus({ db, counts, lanes, inFlight }: StoreContext) {
  const deliveries = db.query<EndedRow>(
    `SELECT destination, state, dead_reason FROM dispatches WHERE incident = ? AND kind = ${KIND.delivery}`,
  )
  // Read by condition: an incident with an open signal for the pager stays unfinished after its last delivery. Two
  // statements without RETURNING cost less than one with it.
  const finishWhere = (condition: string) =>
    db.change(`UPDATE incidents SET notify_status = ?, channels_notified = ?, notify_error = ?
       WHERE seq = ? AND notify_status = ${NOTIFY.pending} AND ${condition}`)
  const finish = finishWhere('oncall_open = 0')
  const finishOpen = finishWhere('oncall_open <> 0')
  // An incident has a delivery on each channel of its mask.
  const finishSent = db.change(
    `UPDATE incidents SET notify_status = ${NOTIFY.sent}, channels_notified = channels_enabled, notify_error = NULL
     WHERE seq = ?1 AND notify_status = ${NOTIFY.pending} AND oncall_open = 0
       AND NOT EXISTS (SELECT 1 FROM dispatches WHERE incident = ?1 AND kind = ${KIND.delivery} AND state <> ${STATE.sent})`,
  )
  // A count keeps PostgreSQL from joining the whole table while it has no statistics.
  const finishAllSent = db.queryList<{ seq: number }>(
    (
      places,
    ) => `UPDATE incidents SET notify_status = ${NOTIFY.sent}, channels_notified = channels_enabled, notify_error = NULL
     WHERE seq IN (${places}) AND notify_status = ${NOTIFY.pending} AND oncall_open = 0 AND (
       SELECT count(*) FROM dispatches WHERE incident = incidents.seq AND kind = ${KIND.delivery} AND state <> ${STATE.sent}) = 0 RETURNING seq`,
  )
  const reopen = db.query<{ oncall_open: number }>(
    `UPDATE incidents SET notify_status = ${NOTIFY.pending} WHERE seq = ? AND notify_status <> ${NOTIFY.pending} RETURNING oncall_open`,
  )
  const hasLeased = (incident: number) => lanes.enabled().some((code) => inFlight.has(incident, code))

  function finishUnsent(incident: number): NotifyStatus {
    const rows = deliveries.all(incident)
    const status = notifyStatusOf(rows)
    if (status === 'pending') return status
    const columns = [NOTIFY[status], notifiedMask(rows, lanes), errorsIn(rows, lanes), incident] as const
    if (finish.run(...columns) > 0) counts.finished++
    else finishOpen.run(...columns)
    return status
  }

  return {
    /**
     * Sets and returns the status after a delivery ended; leaves it `pending` while another one is unfinished. `ended`
     * saves reading the deliveries when another one is known to be leased, and when all were sent.
     */
    finish(incident: number, ended?: 'sent' | 'dead'): NotifyStatus {
      if (ended !== undefined && hasLeased(incident)) return 'pending'
      if (ended === 'sent' && finishSent.run(incident) > 0) {
        counts.finished++
        return 'sent'
      }
      return finishUnsent(incident)
    },
    /** As `finish` of each after a delivery that was sent, in few statements. */
    finishSent(incidents: readonly number[]): ReadonlyMap<number, NotifyStatus> {
      const statuses = new Map<number, NotifyStatus>()
      const last = new Set(incidents)
      for (const incident of incidents)
        if (hasLeased(incident)) {
          statuses.set(incident, 'pending')
          last.delete(incident)
        }
      for (const { seq } of finishAllSent([...last])) {
        statuses.set(seq, 'sent')
        last.delete(seq)
        counts.finished++
      }
      for (const incident of last) statuses.set(incident, finishUnsent(incident))
      return statuses
    },
    /** Makes the incident `pending`, because a delivery is. */
    reopen(incident: number): void {
      if (reopen.get(incident)?.oncall_open === 0) counts.finished--
    },
  }
}

const UNFINISHED: ReadonlySet<number> = new Set([STATE.pending, STATE.sending, STATE.folded, STATE.held])

function notifyStatusOf(rows: readonly EndedRow[]): NotifyStatus {
  if (rows.some(({ state }) => UNFINISHED.has(state))) return 'pending'
  const due = rows.filter(({ state }) => state !== STATE.silenced)
  if (due.length === 0 && rows.length > 0) return 'silenced'
  const sent = due.filter((row) => row.state === STATE.sent).length
  if (sent === due.length) return 'sent'
  return sent > 0 ? 'partial' : 'failed'
}

const notifiedMask = (rows: readonly EndedRow[], lanes: Lanes) =>
  rows
    .filter(({ state }) => state === STATE.sent)
    .reduce((mask, row) => mask | (1 << CHANNEL_CODE[lanes.ofChannel(row.destination).destination]), 0)

function errorsIn(rows: readonly EndedRow[], lanes: Lanes): string | null {
  const errors = rows
    .filter(({ state }) => state !== STATE.sent && state !== STATE.silenced)
    .map((row) => `${lanes.of(row.destination).destination}: ${row.dead_reason ?? stateName(row.state)}`)
  return errors.length === 0 ? null : errors.join('; ').slice(0, MAX_ERROR_CHARACTERS)
}
