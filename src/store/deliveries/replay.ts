import type { ChannelName } from '../../domain/delivery.ts'
import { CHANNEL_CODE, channelName, maskOf, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { backlogSize } from '../engine/counts.ts'
import { command, query } from '../engine/statement.ts'
import type { ReplayFilter } from '../incidents/filters.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'

interface DeliveryKey {
  readonly incident: number
  readonly channel: number
}

interface ReplayDeps {
  readonly maxBacklog: number
  /** Called when an incident got deliveries on more channels. */
  reindex(incident: number): void
}

/**
 * Opens replay and resend: finished deliveries become pending with a fresh count of attempts. The ledger goes on
 * counting. Inside `write`.
 */
export function openReplay(
  context: StoreContext,
  { reopen }: NotifyStatusTracker,
  { maxBacklog, reindex }: ReplayDeps,
) {
  const { db, counts, channels, now } = context
  const resetToPending = openResetToPending(context)
  const enabled = channels.map((name) => CHANNEL_CODE[name]).join(', ')
  const dead = query<DeliveryKey>(
    db,
    `SELECT incident, channel FROM deliveries WHERE state = ${STATE.dead} AND channel IN (${enabled})
       AND (?1 IS NULL OR channel = ?1) AND (?2 IS NULL OR incident = (SELECT seq FROM incidents WHERE id = ?2))
     ORDER BY incident LIMIT ?3`,
  )
  const finished = query<DeliveryKey>(
    db,
    `SELECT incident, channel FROM deliveries WHERE incident = ? AND channel IN (${enabled})
       AND state IN (${STATE.sent}, ${STATE.dead}, ${STATE.skipped})`,
  )
  const find = query<{ seq: number }>(db, 'SELECT seq FROM incidents WHERE id = ?')
  const addMissing = openAddMissing(context)

  function send(rows: readonly DeliveryKey[]): void {
    const at = now()
    for (const { incident, channel } of rows) {
      resetToPending(incident, channelName(channel), at)
      reopen(incident)
    }
  }
  return {
    replay({ channel, id }: ReplayFilter): number {
      const room = Math.max(0, maxBacklog - backlogSize(counts))
      const rows = dead.all(channel === undefined ? null : CHANNEL_CODE[channel], id ?? null, Math.ceil(room / 2))
      send(rows)
      return rows.length
    },
    resend(id: string): boolean {
      const seq = find.get(id)?.seq
      if (seq === undefined) return false
      send(finished.all(seq))
      if (addMissing(seq) > 0) {
        reopen(seq)
        reindex(seq)
      }
      return true
    },
  }
}

function openResetToPending({ db, counts }: StoreContext) {
  const resetToPending = command(
    db,
    `UPDATE deliveries SET state = ${STATE.pending}, next_attempt_at = ?, earlier_attempts = earlier_attempts + attempts,
       attempts = 0, dead_reason = NULL WHERE incident = ? AND channel = ?`,
  )
  return (incident: number, channel: ChannelName, at: number) => {
    resetToPending.run(at, incident, CHANNEL_CODE[channel])
    enqueue(counts, channel, at)
  }
}

/** Adds deliveries for channels that were enabled after the incident came; returns their number. */
function openAddMissing({ db, counts, channels, now }: StoreContext) {
  const insert = command(
    db,
    `INSERT INTO deliveries (incident, channel, state, next_attempt_at) VALUES (?, ?, ${STATE.pending}, ?) ON CONFLICT DO NOTHING`,
  )
  const enable = command(
    db,
    `UPDATE incidents SET channels_enabled = channels_enabled | ${maskOf(channels)} WHERE seq = ?`,
  )
  return (incident: number) => {
    const added = channels.filter((channel) => insert.run(incident, CHANNEL_CODE[channel], now()).changes > 0)
    for (const channel of added) enqueue(counts, channel, now())
    if (added.length > 0) enable.run(incident)
    return added.length
  }
}

function enqueue({ queues }: StoreContext['counts'], channel: ChannelName, at: number): void {
  const queue = queues[channel]
  queue.pending++
  queue.dueAt = Math.min(queue.dueAt, at)
}
