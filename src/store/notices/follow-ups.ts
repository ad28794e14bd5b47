import type { Dispatch, Settlement } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import { type FollowUp, followUpLine } from '../../domain/notice.ts'
import type { RecordAttempt } from '../deliveries/attempt-log.ts'
import { CHANNEL_CODE, channelName, PAGER_CODE, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query, withoutNul } from '../engine/statement.ts'
import { followUpId, followUpNumber } from './dispatch-number.ts'

/** A follow-up that is not sent within this time is dropped. */
const FRESH_MS = 3_600_000

export const FOLLOW_UPS = `
CREATE TABLE follow_ups (
  id INTEGER PRIMARY KEY,
  incident INTEGER NOT NULL,
  channel INTEGER NOT NULL,
  target TEXT,
  reply_to TEXT NOT NULL,
  word TEXT NOT NULL,
  person TEXT NOT NULL,
  raised_at INTEGER NOT NULL,
  state INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  may_duplicate INTEGER NOT NULL
);
`

interface FollowUpRow {
  readonly id: number
  readonly incident: number
  readonly channel: number
  readonly target: string | null
  readonly reply_to: string
  readonly word: FollowUp['word']
  readonly person: string
  readonly raised_at: number
  readonly attempts: number
  readonly may_duplicate: number
}
type ClaimedRow = FollowUpRow & Pick<Dispatch, 'title' | 'service' | 'severity' | 'source' | 'sender'>

/**
 * Follow-ups: a line in the thread of an incident's message when a person acknowledges or resolves the incident.
 * States: `pending`, `sending`; the row is deleted when it was sent, is dead, or is older than an hour. Its attempts
 * are in the ledger beside those of the pager.
 *
 * Inside `write`, except `nextAt`.
 */
export interface FollowUps {
  /** Adds one follow-up for each channel with threads that has sent the incident's message. */
  raise(incident: number, said: Pick<FollowUp, 'word' | 'by'>): void
  /**
   * Leases what is due; `reserve` asks whether the channel's sender has a free slot. Costs no query when nothing is
   * due.
   */
  claim(reserve: (channel: ChannelName) => boolean): Dispatch[]
  /** Returns false when the follow-up is not leased. */
  settle(settlement: Settlement): boolean
  /** Makes pending again what the channel's sender held when it died. */
  reclaim(via: ChannelName): void
  /** Returns the epoch milliseconds of the next follow-up; Infinity when none waits for a time. */
  nextAt(): number
}

/** `threadedChannels`: the enabled channels that have threads. */
export function openFollowUps(
  context: StoreContext,
  threadedChannels: readonly ChannelName[],
  record: RecordAttempt,
): FollowUps {
  const { db, counts, now } = context
  const codes = threadedChannels.map((name) => CHANNEL_CODE[name]).join(', ')
  const insert = command(
    db,
    `INSERT INTO follow_ups (incident, channel, target, reply_to, word, person, raised_at, state, due_at, attempts, may_duplicate)
     SELECT incident, channel, target, message_id, ?2, ?3, ?4, ${STATE.pending}, ?4, 0, 0 FROM deliveries
     WHERE incident = ?1 AND state = ${STATE.sent} AND message_id IS NOT NULL AND channel IN (${codes})`,
  )
  const due = query<ClaimedRow>(
    db,
    `SELECT f.*, i.title, i.service, i.severity, i.source, i.sender FROM follow_ups f CROSS JOIN incidents i ON i.seq = f.incident
     WHERE f.state = ${STATE.pending} AND f.due_at <= ? ORDER BY f.due_at, f.id LIMIT 256`,
  )
  const move = command(db, 'UPDATE follow_ups SET state = ?, due_at = ?, attempts = ?, may_duplicate = ? WHERE id = ?')
  const end = command(db, 'DELETE FROM follow_ups WHERE id = ?')
  const endStale = command(db, 'DELETE FROM follow_ups WHERE raised_at < ?')
  const sending = query<FollowUpRow>(db, `SELECT * FROM follow_ups WHERE id = ? AND state = ${STATE.sending}`)
  const reclaim = command(
    db,
    `UPDATE follow_ups SET state = ${STATE.pending}, may_duplicate = 1 WHERE channel = ? AND state = ${STATE.sending}`,
  )
  const made = query<{ attempts: number }>(
    db,
    `SELECT count(*) AS attempts FROM attempts WHERE incident = ? AND channel = ${PAGER_CODE}`,
  )
  const refreshNextDue = openRefreshNextDue(context)
  /**
   * Time of the last `claim`. A follow-up that was due then and is still pending found no free slot; it waits for one,
   * not for a time.
   */
  let lookedAt = -Infinity

  return {
    raise(incident, { word, by }) {
      if (threadedChannels.length === 0 || insert.run(incident, word, withoutNul(by), now()).changes === 0) return
      counts.followUps.dueAt = Math.min(counts.followUps.dueAt, now())
    },
    claim(reserve) {
      lookedAt = now()
      if (counts.followUps.dueAt > lookedAt) return []
      endStale.run(lookedAt - FRESH_MS)
      const claimed = due.all(lookedAt).filter((row) => reserve(channelName(row.channel)))
      for (const row of claimed) move.run(STATE.sending, lookedAt, row.attempts, row.may_duplicate, row.id)
      refreshNextDue()
      return claimed.map((row) => dispatchOf(row, now()))
    },
    settle({ incident: number, channel, attempt, verdict }) {
      const row = sending.get(followUpId(number))
      if (row === undefined) return false
      if (attempt !== undefined) {
        const attemptEntry = {
          incident: row.incident,
          channel: PAGER_CODE,
          number: (made.get(row.incident)?.attempts ?? 0) + 1,
        }
        record(attemptEntry, {
          ...attempt,
          detail: `wrote to the ${channel} thread${attempt.detail && `: ${attempt.detail}`}`,
        })
      }
      if (verdict.state === 'sent' || verdict.state === 'dead') end.run(row.id)
      else {
        const mayDuplicate = row.may_duplicate === 1 || attempt?.mayDuplicate === true ? 1 : 0
        const dueAt = verdict.state === 'pending' ? verdict.at : now()
        move.run(STATE.pending, dueAt, row.attempts + (attempt === undefined ? 0 : 1), mayDuplicate, row.id)
      }
      refreshNextDue()
      return true
    },
    reclaim(via) {
      if (reclaim.run(CHANNEL_CODE[via]).changes > 0) refreshNextDue()
    },
    nextAt: () => (counts.followUps.dueAt > lookedAt ? counts.followUps.dueAt : Infinity),
  }
}

/** Drops follow-ups of channels that are not enabled any more, and ends the leases of the previous process. */
export function recoverFollowUps(context: StoreContext): void {
  const { db, channels } = context
  const enabled = channels.map((name) => CHANNEL_CODE[name]).join(', ')
  command(db, `DELETE FROM follow_ups WHERE channel NOT IN (${enabled})`).run()
  command(db, `UPDATE follow_ups SET state = ${STATE.pending}, may_duplicate = 1 WHERE state = ${STATE.sending}`).run()
  openRefreshNextDue(context)()
}

function openRefreshNextDue({ db, counts }: StoreContext): () => void {
  const earliest = query<{ due: number | null }>(
    db,
    `SELECT min(due_at) AS due FROM follow_ups WHERE state = ${STATE.pending}`,
  )
  return () => {
    counts.followUps.dueAt = earliest.get()?.due ?? Infinity
  }
}

function dispatchOf(row: ClaimedRow, now: number): Dispatch {
  const { word, person: by, title, service, severity, source, sender, target } = row
  return {
    id: `follow-up-${row.id}`,
    incident: followUpNumber(row.id),
    channel: channelName(row.channel),
    title: followUpLine({ word, by, title }),
    service,
    severity,
    source,
    sender,
    fingerprint: '',
    status: word === 'resolved' ? 'resolved' : 'firing',
    notice: { kind: 'follow-up', word, by, title },
    createdAt: now,
    committedAt: now,
    dispatchedAt: now,
    content: EMPTY,
    attempt: row.attempts + 1,
    mayDuplicate: row.may_duplicate === 1,
    inReplyTo: row.reply_to,
    ...(target === null ? undefined : { target }),
  } satisfies Dispatch
}
const EMPTY = new TextEncoder().encode('{}')
