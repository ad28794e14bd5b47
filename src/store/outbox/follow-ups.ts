import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { type MessageDispatch, RANK, type Rank } from '../../domain/delivery/dispatch.ts'
import { type FollowUp, followUpLine } from '../../domain/delivery/notice.ts'
import type { Problem } from '../../policy/problem.ts'
import { CHANNEL_CODE, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type Lane, queueOf } from '../engine/counts.ts'
import { listOf } from '../engine/statement.ts'
import type { DueRow } from './due.ts'
import { NO_CONTENT } from './own-message.ts'
import { addPending, followUpQueue } from './queues.ts'

/** A follow-up that is not sent within this time is dropped. */
const FRESH_MS = 3_600_000

/** Fields that only a follow-up has: JSON of the column `detail`. */
export interface FollowUpDetail {
  readonly reply_to: string
  readonly word: FollowUp['word']
  readonly person: string
  readonly text?: string | undefined
  /** Number of the problem of a brief. */
  readonly problem?: number
  /** Epoch milliseconds. */
  readonly raised_at: number
}

interface Added {
  readonly incident: number
  readonly lane: Pick<Lane<ChannelName>, 'code'>
  readonly target: string | null
  readonly detail: FollowUpDetail
  readonly rank: Rank
  /** Epoch milliseconds. */
  readonly dueAt: number
}

type Said = Pick<FollowUp, 'word' | 'by' | 'text'>

/**
 * Follow-ups: a line in the thread of an incident's message when a person acknowledges or resolves the incident, a note, or that a silence is over.
 * States: `pending`, `sending`; the row is deleted when it was sent, is dead, or is older than an hour. Its attempts
 * are in the ledger beside those of the pager. `threadedChannels`: the enabled channels that have threads.
 */
export function openFollowUps({ db, counts, now }: StoreContext, threadedChannels: readonly ChannelName[]) {
  const codes = listOf(threadedChannels.map((name) => CHANNEL_CODE[name]))
  const sent = db.query<{ destination: number; target: string | null; message_id: string }>(
    `SELECT destination, target, message_id FROM dispatches
     WHERE incident = ? AND kind = ${KIND.delivery} AND state = ${STATE.sent} AND message_id IS NOT NULL AND destination IN (SELECT code FROM destinations WHERE channel IN (${codes}))`,
  )
  const insert = db.command(
    `INSERT INTO dispatches (incident, kind, destination, number, state, due_at, target, detail, rank)
     SELECT ?1, ${KIND['follow-up']}, ?2, coalesce(max(number) FILTER (WHERE number > 0), 0) + 1, ${STATE.pending}, ?3, cast(?4 AS TEXT), cast(?5 AS TEXT), ?6
     FROM dispatches WHERE incident = ?1 AND kind = ${KIND['follow-up']} AND destination = ?2`,
  )
  function add({ incident, lane: { code }, target, detail, rank, dueAt }: Added): void {
    insert.run(incident, code, dueAt, target, JSON.stringify(detail), rank)
    addPending(queueOf(counts, followUpQueue(rank), code), dueAt)
  }
  /**
   * Adds one follow-up for each channel with threads that has sent the incident's message; returns their number. Inside
   * `write`.
   */
  function raise(incident: number, { word, by, text }: Said): number {
    if (threadedChannels.length === 0) return 0
    const threads = sent.all(incident)
    for (const { destination: code, target, message_id } of threads) {
      const detail: FollowUpDetail = { reply_to: message_id, word, person: by, text, raised_at: now() }
      add({ incident, lane: { code }, target, detail, rank: RANK.normal, dueAt: now() })
    }
    return threads.length
  }

  return {
    /** Adds one follow-up to the thread of one message. Inside `write`. */
    add,
    hasThreads: (channel: ChannelName): boolean => threadedChannels.includes(channel),
    raise,
    /** As `raise`, for the latest message of a problem. Inside `write`. */
    raiseOf: ({ lastIncident, opening }: Pick<Problem, 'lastIncident' | 'opening'>, said: Said): number =>
      raise(lastIncident, said) || raise(opening, said),
  }
}

export const isStale = ({ raised_at }: FollowUpDetail, now: number) => raised_at < now - FRESH_MS

export function followUpDispatch(
  row: DueRow,
  { reply_to, word, person: by, text, raised_at, problem }: FollowUpDetail,
  { lane, now }: { readonly lane: Lane<ChannelName>; readonly now: number },
): MessageDispatch {
  const { incident, number, title, service, severity, source, sender, target } = row
  return {
    kind: 'follow-up',
    ...{ destination: lane.destination, code: lane.code, rank: RANK.normal, incident, number },
    // A number is free again when its row is deleted, and mail servers drop a second message of one id.
    id: `follow-up-${incident}-${word}-${raised_at}`,
    title: followUpLine({ word, by, title }),
    ...{ service, severity, source, sender, fingerprint: '' },
    status: word === 'resolved' ? 'resolved' : 'firing',
    notice: { kind: 'follow-up', word, by, title, text, ...(problem !== undefined && { problem }) },
    ...{ createdAt: now, committedAt: now, dispatchedAt: now, content: NO_CONTENT, inReplyTo: reply_to },
    ...{ attempt: row.attempts + 1, mayDuplicate: row.may_duplicate === 1 },
    ...(word === 'silence_over' && { broadcast: true }),
    ...(target === null ? undefined : { target }),
  }
}
