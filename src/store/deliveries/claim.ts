import type { Dispatch } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import type { Sender, Source, Status } from '../../domain/incident.ts'
import { CHANNEL_CODE, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { PayloadSlice, Payloads } from '../journal/payloads.ts'
import type { ClaimLimits } from '../ports/outbox.ts'
import { type ChatThreads, openChatThreads } from './chat-threads.ts'
import type { DueIndex } from './due-index.ts'
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

/** Leases due deliveries of a channel to its sender: state `sending`. Inside `write`. */
export function openClaim(
  { db, counts, inFlight, now }: StoreContext,
  dueIndex: DueIndex,
  payloads: Pick<Payloads, 'of'>,
) {
  // CROSS JOIN fixes the order of the tables: SQLite starts from the index of due deliveries.
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

/** All that settling needs; the payload is left out, because it is large and belongs to the sender. */
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

/** Rows whose payloads fit `maxBytes` together. The first one always goes: alone it would never fit. */
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
