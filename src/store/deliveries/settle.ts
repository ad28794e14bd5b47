import type { Settlement } from '../../domain/commit.ts'
import { CHANNEL_CODE, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query, withoutNul } from '../engine/statement.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import type { Notices } from '../notices/notices.ts'
import type { Settled } from '../ports/outbox.ts'
import { type RecordAttempt, textOrNull } from './attempt-log.ts'
import { recordHealth } from './channel-health.ts'
import { openChatThreads } from './chat-threads.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'

export interface SettleDeps {
  readonly statusTracker: NotifyStatusTracker
  readonly notices: Pick<Notices, 'raise'>
  readonly record: RecordAttempt
}

/**
 * Records how a leased delivery ended: its attempt, its state, the health of its channel, its chat thread, and, with
 * the last delivery, the incident's `notify_status`. Returns undefined when the delivery is not leased. Inside `write`.
 */
export function openSettle({ db, counts, inFlight }: StoreContext, { statusTracker, notices, record }: SettleDeps) {
  const sending = query<DeliveryFacts>(
    db,
    `SELECT i.id, i.title, i.severity, i.created_at, i.status, i.fingerprint, d.target, d.attempts, d.earlier_attempts, d.may_duplicate, d.next_attempt_at
     FROM deliveries d CROSS JOIN incidents i ON i.seq = d.incident
     WHERE d.incident = ? AND d.channel = ? AND d.state = ${STATE.sending}`,
  )
  const move = command(
    db,
    `UPDATE deliveries SET state = ?, attempts = ?, next_attempt_at = ?, may_duplicate = ?, message_id = coalesce(?, message_id),
       dead_reason = ? WHERE incident = ? AND channel = ?`,
  )
  const chatThreads = openChatThreads(db)

  function update(settlement: Settlement, row: DeliveryFacts): void {
    const { incident, channel, attempt, verdict } = settlement
    const finished = verdict.state === 'sent' || verdict.state === 'dead'
    const pendingAt = verdict.state === 'pending' ? verdict.at : row.next_attempt_at
    move.run(
      finished ? STATE[verdict.state] : STATE.pending,
      row.attempts + (attempt === undefined ? 0 : 1),
      finished ? null : pendingAt,
      row.may_duplicate === 1 || attempt?.mayDuplicate === true ? 1 : 0,
      textOrNull(attempt?.messageId),
      verdict.state === 'dead' ? withoutNul(verdict.reason) : null,
      incident,
      CHANNEL_CODE[channel],
    )
    const queue = counts.queues[channel]
    queue.sending--
    if (finished) return
    queue.pending++
    queue.dueAt = Math.min(queue.dueAt, pendingAt)
  }

  return function settle(settlement: Settlement): Settled | undefined {
    const { incident, channel, attempt, verdict } = settlement
    const row = inFlight.remove(incident, channel) ?? sending.get(incident, CHANNEL_CODE[channel])
    if (row === undefined) return undefined
    const { id: incidentId, title, severity, created_at: createdAt } = row
    const attempts = row.earlier_attempts + row.attempts + (attempt === undefined ? 0 : 1)
    const settled = { incidentId, title, severity, createdAt, attempts }
    update(settlement, row)
    if (attempt !== undefined) {
      const text = verdict.state === 'pending' ? undefined : settlement.text
      record({ incident, channel: CHANNEL_CODE[channel], number: attempts, text }, attempt)
    }
    recordHealth(counts.health[channel], settlement, incidentId)
    if (verdict.state === 'dead') notices.raise(channel)
    if (verdict.state === 'sent' && row.status === 'firing' && attempt?.messageId !== undefined)
      chatThreads.save({ channel, fingerprint: row.fingerprint, target: row.target }, attempt.messageId, incident)
    if (verdict.state === 'pending' || verdict.state === 'released')
      return { ...settled, state: 'pending', notifyStatus: 'pending' }
    return { ...settled, state: verdict.state, notifyStatus: statusTracker.finish(incident) }
  }
}
