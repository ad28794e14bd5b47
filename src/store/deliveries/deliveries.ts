import type { Dispatch, Settlement } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import type { Sender, Source, Status } from '../../domain/incident.ts'
import type { ClaimLimits, Notices, Settled } from '../contract.ts'
import { CHANNEL_CODE, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query, withoutNul } from '../engine/statement.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import type { PayloadSlice, Payloads } from '../journal/payloads.ts'
import { type RecordAttempt, textOrNull } from './attempt-log.ts'
import { recordHealth } from './channel-health.ts'
import { type ChatThreads, openChatThreads } from './chat-threads.ts'
import type { DueIndex } from './due.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'

interface DueRow extends PayloadSlice {
  readonly incident: number
  readonly attempts: number
  readonly earlier_attempts: number
  readonly may_duplicate: number
  readonly next_attempt_at: number
  readonly target: string | null
  readonly id: string
  readonly created_at: number
  readonly committed_at: number
  readonly source: Source
  readonly sender: Sender
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly fingerprint: string
}

/** Hands out what is due on a channel. */
export function openClaim(
  { db, counts, inFlight, now }: StoreContext,
  dueIndex: DueIndex,
  payloads: Pick<Payloads, 'of'>,
) {
  // CROSS JOIN keeps the order of the tables: from the index of due deliveries outwards.
  const due = query<DueRow>(
    db,
    `SELECT d.incident, d.attempts, d.earlier_attempts, d.may_duplicate, d.next_attempt_at, d.target, i.id, i.created_at, i.committed_at, i.source, i.sender, i.title,
       i.service, i.severity, i.status, i.fingerprint, i.seq, i.content_start, i.content_bytes
     FROM deliveries d CROSS JOIN incidents i ON i.seq = d.incident
     WHERE d.channel = ? AND d.state = ${STATE.pending} AND d.next_attempt_at <= ?
     ORDER BY d.next_attempt_at, d.incident LIMIT ?`,
  )
  const mark = command(db, `UPDATE deliveries SET state = ${STATE.sending} WHERE incident = ? AND channel = ?`)
  const chatThreads = openChatThreads(db)

  return function claim(channel: ChannelName, { slots, maxBytes }: ClaimLimits): Dispatch[] {
    const queue = counts.queues[channel]
    if (slots < 1 || queue.dueAt > now()) return []
    const rows = upTo(maxBytes, due.iterate(CHANNEL_CODE[channel], now(), slots))
    const dispatchedAt = now()
    for (const row of rows) {
      mark.run(row.incident, CHANNEL_CODE[channel])
      inFlight.add(row.incident, channel, factsOf(row))
    }
    queue.pending -= rows.length
    queue.sending += rows.length
    dueIndex.refreshNextDue(channel)
    return rows.map((row) => ({
      ...nextDispatch(row, channel, chatThreads),
      content: payloads.of(row),
      dispatchedAt,
    }))
  }
}

/** Without the content, which is large and the sender's. */
function factsOf(row: DueRow): DeliveryFacts {
  const { id, title, severity, created_at, status, fingerprint, target } = row
  const { attempts, earlier_attempts, may_duplicate, next_attempt_at } = row
  return {
    id,
    title,
    severity,
    created_at,
    status,
    fingerprint,
    target,
    attempts,
    earlier_attempts,
    may_duplicate,
    next_attempt_at,
  }
}

/** The first is taken whatever its size, lest it wait for ever. */
function upTo(maxBytes: number, rows: Iterable<DueRow>): DueRow[] {
  const claimed: DueRow[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.content_bytes
    if (claimed.length > 0 && bytes > maxBytes) break
    claimed.push(row)
  }
  return claimed
}

function nextDispatch(
  row: DueRow,
  channel: ChannelName,
  chatThreads: ChatThreads,
): Omit<Dispatch, 'dispatchedAt' | 'content'> {
  const { incident, id, source, sender, title, service, severity, status, fingerprint, target } = row
  const inReplyTo = status === 'resolved' ? chatThreads.messageId({ channel, fingerprint, target }) : undefined
  return {
    incident,
    id,
    source,
    sender,
    title,
    service,
    severity,
    status,
    fingerprint,
    channel,
    createdAt: row.created_at,
    committedAt: row.committed_at,
    attempt: row.attempts + 1,
    mayDuplicate: row.may_duplicate === 1,
    ...(target === null ? undefined : { target }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  }
}

interface SettleDeps {
  readonly statusTracker: NotifyStatusTracker
  readonly notices: Pick<Notices, 'raise'>
  readonly record: RecordAttempt
}

/** Records how hand-outs ended. */
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
