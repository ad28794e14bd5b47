import type { Handout, Settlement } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import type { Sender, Source, Status } from '../../domain/incident.ts'
import type { Notices, Settled, TakeLimits } from '../contract.ts'
import { CHANNEL_CODE, STATE } from '../engine/column-codes.ts'
import type { Tools } from '../engine/context.ts'
import { command, query, readable } from '../engine/statement.ts'
import type { Conclusions } from '../incidents/notify-status.ts'
import type { ContentPlace, Contents } from '../journal/payloads.ts'
import { optional, type RecordAttempt } from './attempt-log.ts'
import { note } from './channel-health.ts'
import { openThreads, type Threads } from './chat-threads.ts'
import type { Lanes } from './due.ts'
import type { Known } from './in-flight-cache.ts'

interface DueRow extends ContentPlace {
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
export function openTake({ db, tally, underWay, now }: Tools, lanes: Lanes, contents: Pick<Contents, 'of'>) {
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
  const threads = openThreads(db)

  return function take(channel: ChannelName, { places, maxBytes }: TakeLimits): Handout[] {
    const lane = tally.lanes[channel]
    if (places < 1 || lane.dueAt > now()) return []
    const rows = upTo(maxBytes, due.iterate(CHANNEL_CODE[channel], now(), places))
    const handedOutAt = now()
    for (const row of rows) {
      mark.run(row.incident, CHANNEL_CODE[channel])
      underWay.remember(row.incident, channel, knownOf(row))
    }
    lane.pending -= rows.length
    lane.sending += rows.length
    lanes.refresh(channel)
    return rows.map((row) => ({
      ...nextHandout(row, channel, threads),
      content: contents.of(row),
      handedOutAt,
    }))
  }
}

/** Without the content, which is large and the sender's. */
function knownOf(row: DueRow): Known {
  const { id, title, severity, created_at, status, fingerprint, target } = row
  const { attempts, earlier_attempts, may_duplicate, next_attempt_at } = row
  return {
    ...{ id, title, severity, created_at, status, fingerprint, target },
    ...{ attempts, earlier_attempts, may_duplicate, next_attempt_at },
  }
}

/** The first is taken whatever its size, lest it wait for ever. */
function upTo(maxBytes: number, rows: Iterable<DueRow>): DueRow[] {
  const taken: DueRow[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.content_bytes
    if (taken.length > 0 && bytes > maxBytes) break
    taken.push(row)
  }
  return taken
}

function nextHandout(row: DueRow, channel: ChannelName, threads: Threads): Omit<Handout, 'handedOutAt' | 'content'> {
  const { incident, id, source, sender, title, service, severity, status, fingerprint, target } = row
  const inReplyTo = status === 'resolved' ? threads.messageId({ channel, fingerprint, target }) : undefined
  return {
    ...{ incident, id, source, sender, title, service, severity, status, fingerprint, channel },
    createdAt: row.created_at,
    committedAt: row.committed_at,
    attempt: row.attempts + 1,
    mayDuplicate: row.may_duplicate === 1,
    ...(target === null ? undefined : { target }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  }
}

interface SettleParts {
  readonly conclusions: Conclusions
  readonly notices: Pick<Notices, 'raise'>
  readonly record: RecordAttempt
}

/** Records how hand-outs ended. */
export function openSettle({ db, tally, underWay }: Tools, { conclusions, notices, record }: SettleParts) {
  const handedOut = query<Known>(
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
  const threads = openThreads(db)

  function update(settlement: Settlement, row: Known): void {
    const { incident, channel, attempt, verdict } = settlement
    const finished = verdict.state === 'sent' || verdict.state === 'dead'
    const pendingAt = verdict.state === 'pending' ? verdict.at : row.next_attempt_at
    move.run(
      finished ? STATE[verdict.state] : STATE.pending,
      row.attempts + (attempt === undefined ? 0 : 1),
      finished ? null : pendingAt,
      row.may_duplicate === 1 || attempt?.mayDuplicate === true ? 1 : 0,
      optional(attempt?.messageId),
      verdict.state === 'dead' ? readable(verdict.reason) : null,
      incident,
      CHANNEL_CODE[channel],
    )
    const lane = tally.lanes[channel]
    lane.sending--
    if (finished) return
    lane.pending++
    lane.dueAt = Math.min(lane.dueAt, pendingAt)
  }

  return function settle(settlement: Settlement): Settled | undefined {
    const { incident, channel, attempt, verdict } = settlement
    const row = underWay.take(incident, channel) ?? handedOut.get(incident, CHANNEL_CODE[channel])
    if (row === undefined) return undefined
    const { id: incidentId, title, severity, created_at: createdAt } = row
    const attempts = row.earlier_attempts + row.attempts + (attempt === undefined ? 0 : 1)
    const settled = { incidentId, title, severity, createdAt, attempts }
    update(settlement, row)
    if (attempt !== undefined) {
      const text = verdict.state === 'pending' ? undefined : settlement.text
      record({ incident, channel: CHANNEL_CODE[channel], number: attempts, text }, attempt)
    }
    note(tally.health[channel], settlement, incidentId)
    if (verdict.state === 'dead') notices.raise(channel)
    if (verdict.state === 'sent' && row.status === 'firing' && attempt?.messageId !== undefined)
      threads.remember({ channel, fingerprint: row.fingerprint, target: row.target }, attempt.messageId, incident)
    if (verdict.state === 'pending' || verdict.state === 'returned')
      return { ...settled, state: 'pending', notifyStatus: 'pending' }
    return { ...settled, state: verdict.state, notifyStatus: conclusions.conclude(incident) }
  }
}
