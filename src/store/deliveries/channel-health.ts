import type { Attempt, ChannelName } from '../../domain/delivery/delivery.ts'
import type { Settlement } from '../../domain/delivery/dispatch.ts'
import { ANY_CHANNEL, CHANNEL_CODE, channelName, KIND, STATE, stateName } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { byChannel, type Health } from '../engine/counts.ts'
import { NOTICES } from '../outbox/notices.ts'
import type { ChannelHealth, LastNotice } from '../ports/channels.ts'

/** Number of newest incidents in which opening looks for a channel's last success and last failure. */
const LOOK_BACK = 5_000

interface LastRow {
  readonly ended_at: number
  readonly detail: string
  readonly id: string
}

interface NoticeRow extends Omit<LastNotice, 'state' | 'via'> {
  readonly state: number
  readonly via: number
}

/**
 * Reads the last success and failure of each channel from the ledger, for the opening: in one pass, because nothing
 * is sent meanwhile. Counts begin at zero.
 */
export function loadHealth({ db, counts, lanes }: StoreContext): void {
  const isSent = "CASE WHEN outcome = 'sent' THEN 1 ELSE 0 END"
  const latest = db.query<{ code: number; sent: number; incident: number }>(
    `SELECT channel AS code, ${isSent} AS sent, max(incident) AS incident FROM attempts
     WHERE incident > ${Math.max(0, counts.appliedUpTo + 1 - LOOK_BACK)} GROUP BY channel, ${isSent}`,
  )
  const last = db.query<LastRow>(`SELECT a.started_at + a.duration_ms AS ended_at, a.detail, i.id
     FROM attempts a CROSS JOIN incidents i
     WHERE i.seq = a.incident AND a.incident = ? AND a.channel = ? AND ${isSent} = ? ORDER BY a.number DESC LIMIT 1`)
  const found = latest.all().sort((one, other) => one.incident - other.incident)
  const newest = new Map(found.map((each) => [`${lanes.stored(each.code)?.destination} ${each.sent}`, each]))
  for (const { code, sent, incident } of newest.values()) {
    const row = last.get(incident, code, sent)
    const channel = lanes.stored(code)?.destination ?? 'oncall'
    if (channel === 'oncall' || row === undefined) continue
    const at = Math.trunc(row.ended_at)
    if (sent === 1) counts.health[channel].lastSentAt = at
    else counts.health[channel].lastError = { at, detail: row.detail, incidentId: row.id }
  }
}

export function recordHealth(health: Health, { attempt, verdict }: Settlement, incidentId: string): void {
  if (verdict.state === 'sent') health.sent++
  if (verdict.state === 'dead') health.dead++
  if (attempt === undefined) return
  if (verdict.state === 'pending') health.retried++
  if (attempt.renderFailure !== undefined) health.renderedPlain++
  recordAttemptHealth(health, attempt, incidentId)
}

/** `incidentId` is null for an attempt of a notice. */
export function recordAttemptHealth(
  health: Health,
  { startedAt, durationMs, outcome, detail }: Attempt,
  incidentId: string | null,
) {
  const at = Math.trunc(startedAt + durationMs)
  if (outcome === 'sent') health.lastSentAt = at
  else health.lastError = { at, detail, incidentId }
}

/** Opens the read of every channel's health, enabled or not. Walks the pending and dead rows of each. */
export function openHealth(
  { db, counts }: StoreContext,
  backlogOf: (channel: ChannelName) => ChannelHealth['backlog'],
) {
  const dead = db.query<{ dead: number }>(`SELECT count(*) AS dead FROM dispatches
     WHERE destination IN (SELECT code FROM destinations WHERE channel = ?) AND kind = ${KIND.delivery} AND state = ${STATE.dead}`)
  const last =
    db.query<NoticeRow>(`SELECT d.state, d.destination AS via, d.attempts, n.first_at, n.ended_at FROM ${NOTICES}
     WHERE n.about = ? ORDER BY n.number DESC LIMIT 1`)
  const lastNotice = (channel: ChannelName): LastNotice | undefined => {
    const row = last.get(channel)
    return row && { ...row, state: stateName(row.state), via: row.via === ANY_CHANNEL ? null : channelName(row.via) }
  }
  const of = (channel: ChannelName): ChannelHealth => ({
    ...{ ...counts.health[channel], pausedAt: counts.pausedAt[channel], backlog: backlogOf(channel) },
    ...{ lastNotice: lastNotice(channel), deadNow: dead.get(CHANNEL_CODE[channel])?.dead ?? 0 },
  })
  return (): { readonly [channel in ChannelName]: ChannelHealth } => byChannel(of)
}
