import type { Dispatch } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import { type Failures, NOTICE_SUBJECTS, type NoticeSubject } from '../../domain/notice.ts'
import type { RecordAttempt } from '../deliveries/attempt-log.ts'
import { CHANNEL_CODE, PHASE, STATE, subjectCode } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Counts } from '../engine/counts.ts'
import { command, query } from '../engine/statement.ts'
import type { ClaimedNotices } from '../ports/outbox.ts'
import { noticeNumber } from './dispatch-number.ts'
import { type NoticeSettlement, openSettleNotices } from './settle.ts'

/**
 * A notice waits this long after the first dead delivery, because a failing channel leaves many of them: one notice
 * counts them all.
 */
const GATHER_MS = 1_000
/** From the first claim of a notice about a channel to the first claim of the next one. */
const INTERVAL_MS = 15 * 60_000
/** The same for notices about pages: shorter, because an incident without a page waits for a person. */
const PAGES_INTERVAL_MS = 60_000

interface NoticeRow {
  readonly id: number
  readonly due_at: number
  readonly attempts: number
  readonly may_duplicate: number
  readonly first_at: number | null
}

export const NOTICES = `
CREATE TABLE notices (
  id INTEGER PRIMARY KEY,
  about INTEGER NOT NULL,
  via INTEGER,
  state INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  first_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  may_duplicate INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER
);
`

/**
 * Notices about dead deliveries and pages, sent through a channel that works. At most one notice about a subject is
 * pending. A notice belongs to no incident: it is in no list and no total, never pages, and a dead notice raises no
 * other one. States: `pending`, `sending`, `sent`, `dead`, and `skipped` when nothing is dead any more at its time.
 *
 * Inside `write`, except `nextAt`.
 */
export interface Notices extends NoticeSettlement {
  /** Makes a notice about the subject due, unless one is pending. */
  raise(about: NoticeSubject): void
  /**
   * Leases what is due; `reserve` asks whether the channel's sender has a free slot. Costs no query when nothing is
   * due.
   */
  claim(reserve: (channel: ChannelName) => boolean): ClaimedNotices
  /** Returns the epoch milliseconds of the next notice; undefined when none waits for a time. */
  nextAt(): number | undefined
}

export function openNotices(context: StoreContext, record: RecordAttempt): Notices {
  const { db, counts, channels, now } = context
  const insert = command(db, `INSERT INTO notices (about, state, due_at) VALUES (?, ${STATE.pending}, ?)`)
  const markSending = command(
    db,
    `UPDATE notices SET state = ${STATE.sending}, via = ?, first_at = coalesce(first_at, ?) WHERE id = ?`,
  )
  const skip = command(db, `UPDATE notices SET state = ${STATE.skipped}, ended_at = ? WHERE id = ?`)
  const next = openNextNotice(context)
  const factsOf = openFacts(context)
  /**
   * Time of the last `claim`. A notice that was due then and is still pending found no free slot; it waits for one, not
   * for a time.
   */
  let lookedAt = -Infinity

  function raise(about: NoticeSubject): void {
    const queue = counts.notices[about]
    if (queue.dueAt !== Infinity) return
    queue.dueAt = Math.max(now() + GATHER_MS, queue.lastAt + (about === 'oncall' ? PAGES_INTERVAL_MS : INTERVAL_MS))
    insert.run(subjectCode(about), queue.dueAt)
  }

  /**
   * Returns 'stuck' when no channel is known to work; undefined when no sender has a free slot, or when nothing is dead
   * any more.
   */
  function claimOne(about: NoticeSubject, reserve: (channel: ChannelName) => boolean): Dispatch | 'stuck' | undefined {
    const workingChannels = channelsThatWork(counts, channels, about)
    if (workingChannels.length === 0) return 'stuck'
    const via = workingChannels.find(reserve)
    const row = via === undefined ? undefined : next.of(about)
    if (via === undefined || row === undefined) return undefined
    const notice = factsOf(about)
    if (notice.dead === 0) skip.run(now(), row.id)
    else markSending.run(CHANNEL_CODE[via], now(), row.id)
    next.refresh(about)
    if (notice.dead === 0) return undefined
    counts.notices[about].lastAt = row.first_at ?? now()
    return dispatchOf(row, via, { notice, now: now() })
  }

  return {
    raise,
    claim(reserve) {
      const dispatches: Dispatch[] = []
      const stuck: NoticeSubject[] = []
      lookedAt = now()
      for (const about of NOTICE_SUBJECTS) {
        const claimed = counts.notices[about].dueAt <= lookedAt ? claimOne(about, reserve) : undefined
        if (claimed === 'stuck') stuck.push(about)
        else if (claimed !== undefined) dispatches.push(claimed)
      }
      return { dispatches, stuck }
    },
    ...openSettleNotices(context, { refreshNextDue: next.refresh, record }),
    nextAt() {
      const ahead = NOTICE_SUBJECTS.map((about) => counts.notices[about].dueAt).filter((dueAt) => dueAt > lookedAt)
      const at = Math.min(...ahead)
      return at === Infinity ? undefined : at
    },
  }
}

/** Sets the counts of notices to those of the database. */
export function recountNotices({ db, counts }: StoreContext): void {
  const queues = query<{ due: number | null; last: number | null }>(
    db,
    `SELECT min(due_at) FILTER (WHERE state = ${STATE.pending}) AS due, max(first_at) AS last FROM notices WHERE about = ?`,
  )
  for (const about of NOTICE_SUBJECTS) {
    const row = queues.get(subjectCode(about))
    counts.notices[about] = { dueAt: row?.due ?? Infinity, lastAt: row?.last ?? -Infinity }
  }
}

/**
 * Channels that a notice may go through, best first: those whose last attempt succeeded, the latest first; then those
 * that were never tried; last the channel that the notice is about, if its last attempt succeeded.
 */
function channelsThatWork({ health }: Counts, channels: readonly ChannelName[], about: NoticeSubject): ChannelName[] {
  const rank = (channel: ChannelName) => {
    const { lastSentAt, lastError } = health[channel]
    if (lastSentAt !== undefined && lastSentAt >= (lastError?.at ?? 0)) return channel === about ? 2 : 0
    return lastSentAt === undefined && lastError === undefined && channel !== about ? 1 : 3
  }
  const lastSent = (channel: ChannelName) => health[channel].lastSentAt ?? 0
  return channels.filter((each) => rank(each) < 3).sort((a, b) => rank(a) - rank(b) || lastSent(b) - lastSent(a))
}

/** The earliest pending notice about a subject. */
function openNextNotice({ db, counts }: StoreContext) {
  const first = query<NoticeRow>(
    db,
    `SELECT id, due_at, attempts, may_duplicate, first_at FROM notices WHERE about = ? AND state = ${STATE.pending}
     ORDER BY due_at, id LIMIT 1`,
  )
  const of = (about: NoticeSubject) => first.get(subjectCode(about))
  return {
    of,
    refresh(about: NoticeSubject): void {
      counts.notices[about].dueAt = of(about)?.due_at ?? Infinity
    },
  }
}

function openFacts({ db }: StoreContext): (about: NoticeSubject) => Failures {
  const dead = query<{ dead: number; last: number | null }>(
    db,
    `SELECT count(*) AS dead, max(incident) AS last FROM deliveries INDEXED BY deliveries_dead
     WHERE channel = ? AND state = ${STATE.dead}`,
  )
  const reason = query<{ dead_reason: string | null }>(
    db,
    'SELECT dead_reason FROM deliveries WHERE incident = ? AND channel = ?',
  )
  // SQLite takes the bare column `reason` from the row that holds the max().
  const pagesFailed = query<{ dead: number; reason: string | null }>(
    db,
    `SELECT count(*) AS dead, i.oncall_error AS reason, max(o.incident)
     FROM oncall o CROSS JOIN incidents i ON i.seq = o.incident WHERE o.phase = ${PHASE.failed}`,
  )
  return (about) => {
    if (about === 'oncall') {
      const row = pagesFailed.get()
      return { kind: 'failures', about, dead: row?.dead ?? 0, reason: row?.reason ?? '' }
    }
    const { dead: count = 0, last = null } = dead.get(CHANNEL_CODE[about]) ?? {}
    const row = last === null ? undefined : reason.get(last, CHANNEL_CODE[about])
    return { kind: 'failures', about, dead: count, reason: row?.dead_reason ?? '' }
  }
}

function dispatchOf(
  row: NoticeRow,
  channel: ChannelName,
  { notice, now }: { notice: Failures; now: number },
): Dispatch {
  return {
    id: `notice-${row.id}`,
    incident: noticeNumber(row.id),
    channel,
    notice,
    content: EMPTY,
    title: titleOf(notice),
    service: 'tocsin',
    severity: 'warning',
    status: 'firing',
    source: 'webhook',
    sender: 'custom',
    fingerprint: '',
    createdAt: now,
    committedAt: now,
    dispatchedAt: now,
    attempt: row.attempts + 1,
    mayDuplicate: row.may_duplicate === 1,
  } satisfies Dispatch
}
const titleOf = ({ about }: Failures) => (about === 'oncall' ? 'Nobody was woken' : `Dead deliveries on ${about}`)
const EMPTY = new TextEncoder().encode('{}')
