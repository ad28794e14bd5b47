import type { ChannelName } from '../../domain/delivery.ts'
import { CHANNEL_CODE, channelName, maskOf, STATE } from '../engine/column-codes.ts'
import type { Tools } from '../engine/context.ts'
import { owed } from '../engine/counts.ts'
import { command, query } from '../engine/statement.ts'
import type { ReplayFilter } from '../incidents/filters.ts'
import type { Conclusions } from '../incidents/notify-status.ts'

interface Finished {
  readonly incident: number
  readonly channel: number
}

interface Rules {
  readonly maxBacklog: number
  /** Told when an incident's channels have changed. */
  renew(incident: number): void
}

/** Sends again what had finished, with a fresh count of attempts; the ledger goes on counting. */
export function openReplay(tools: Tools, { reopen }: Conclusions, { maxBacklog, renew }: Rules) {
  const { db, tally, channels, now } = tools
  const revive = openRevive(tools)
  const enabled = channels.map((name) => CHANNEL_CODE[name]).join(', ')
  const dead = query<Finished>(
    db,
    `SELECT incident, channel FROM deliveries WHERE state = ${STATE.dead} AND channel IN (${enabled})
       AND (?1 IS NULL OR channel = ?1) AND (?2 IS NULL OR incident = (SELECT seq FROM incidents WHERE id = ?2))
     ORDER BY incident LIMIT ?3`,
  )
  const finished = query<Finished>(
    db,
    `SELECT incident, channel FROM deliveries WHERE incident = ? AND channel IN (${enabled})
       AND state IN (${STATE.sent}, ${STATE.dead}, ${STATE.skipped})`,
  )
  const find = query<{ seq: number }>(db, 'SELECT seq FROM incidents WHERE id = ?')
  const missing = openMissing(tools)

  function send(rows: readonly Finished[]): void {
    const at = now()
    for (const { incident, channel } of rows) {
      revive(incident, channelName(channel), at)
      reopen(incident)
    }
  }
  return {
    replay({ channel, id }: ReplayFilter): number {
      const room = Math.max(0, maxBacklog - owed(tally))
      const rows = dead.all(channel === undefined ? null : CHANNEL_CODE[channel], id ?? null, Math.ceil(room / 2))
      send(rows)
      return rows.length
    },
    resend(id: string): boolean {
      const seq = find.get(id)?.seq
      if (seq === undefined) return false
      send(finished.all(seq))
      if (missing(seq) > 0) {
        reopen(seq)
        renew(seq)
      }
      return true
    },
  }
}

function openRevive({ db, tally }: Tools) {
  const revive = command(
    db,
    `UPDATE deliveries SET state = ${STATE.pending}, next_attempt_at = ?, earlier_attempts = earlier_attempts + attempts,
       attempts = 0, dead_reason = NULL WHERE incident = ? AND channel = ?`,
  )
  return (incident: number, channel: ChannelName, at: number) => {
    revive.run(at, incident, CHANNEL_CODE[channel])
    queue(tally, channel, at)
  }
}

/** Gives an incident the deliveries of channels that were enabled after it came; returns how many. */
function openMissing({ db, tally, channels, now }: Tools) {
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
    for (const channel of added) queue(tally, channel, now())
    if (added.length > 0) enable.run(incident)
    return added.length
  }
}

function queue({ lanes }: Tools['tally'], channel: ChannelName, at: number): void {
  const lane = lanes[channel]
  lane.pending++
  lane.dueAt = Math.min(lane.dueAt, at)
}
