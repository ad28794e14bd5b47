import { type WayDown, type WaysDownNotice, waysDownHeadline } from '../../domain/answer.ts'
import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { type MessageDispatch, RANK } from '../../domain/delivery/dispatch.ts'
import {
  type BurnNotice,
  burnHeadline,
  type Failures,
  NOTICE_SUBJECTS,
  type NoticeSubject,
} from '../../domain/delivery/notice.ts'
import { ANY_CHANNEL, CHANNEL_CODE, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Counts } from '../engine/counts.ts'
import type { Burn } from '../noise/burn.ts'
import { type Exhausted, openFailures } from './failures.ts'
import type { Leases } from './lease.ts'
import { noticeMessage } from './own-message.ts'

/**
 * A notice waits this long after the first dead delivery, because a failing channel leaves many of them: one notice
 * counts them all.
 */
const GATHER_MS = 1_000
/** From the first claim of a notice about a channel to the first claim of the next one. */
const INTERVAL_MS = 15 * 60_000
/** The same for notices about pages: shorter, because an incident without a page waits for a person. */
const PAGES_INTERVAL_MS = 60_000
/** The same for notices about the objective: its longer windows change slowly. */
const SLO_INTERVAL_MS = 3_600_000

function intervalMs(about: NoticeSubject): number {
  if (about === 'slo') return SLO_INTERVAL_MS
  return about === 'oncall' ? PAGES_INTERVAL_MS : INTERVAL_MS
}

/** Rows of `dispatches`: notices belong to no incident. */
export const IS_NOTICE = `incident = 0 AND kind = ${KIND.notice}`
/** Notices, each with its dispatch. */
export const NOTICES = `notices n JOIN dispatches d ON d.${IS_NOTICE.replace(' AND ', ' AND d.')} AND d.number = n.number`

interface NoticeRow {
  readonly number: number
  readonly due_at: number
  readonly attempts: number
  readonly may_duplicate: number
  readonly first_at: number | null
}

interface NoticeDeps {
  readonly leases: Pick<Leases, 'take'>
  readonly burn: Pick<Burn, 'current'>
  /** Absent: the configuration has no escalations. */
  readonly exhausted?: Exhausted
}

/**
 * Notices about dead deliveries and pages, sent through a channel that works. At most one notice about a subject is
 * pending. A notice belongs to no incident: it is in no list and no total, never pages, and a dead notice raises no
 * other one. States: `pending`, `sending`, `sent`, `dead`, and `skipped` when nothing is dead any more at its time.
 *
 * Inside `write`, except `nextAt`.
 */
export type Notices = ReturnType<typeof openNotices>

export function openNotices(context: StoreContext, { leases, burn, exhausted }: NoticeDeps) {
  const { db, counts, channels, now } = context
  const rows = openNoticeRows(context)
  const assign = db.command(`UPDATE dispatches SET destination = ? WHERE ${IS_NOTICE} AND number = ?`)
  const begin = db.command('UPDATE notices SET first_at = ? WHERE number = ?')
  const first = db.query<NoticeRow>(`SELECT n.number, d.due_at, d.attempts, d.may_duplicate, n.first_at FROM ${NOTICES}
     WHERE d.state = ${STATE.pending} AND n.about = ? ORDER BY d.due_at, n.number LIMIT 1`)
  const failuresOf = openFailures(context, exhausted)
  /**
   * Time of the last `claim`. A notice that was due then and is still pending found no free slot; it waits for one, not
   * for a time.
   */
  let lookedAt = -Infinity

  /** By channel. Main tells of them again after a restart. */
  const waysDown = new Map<ChannelName, WayDown>()

  function refreshNextDue(about: NoticeSubject): void {
    counts.notices[about].dueAt = first.get(about)?.due_at ?? Infinity
  }

  /** Returns undefined when there is nothing to say any more. */
  function contentOf(about: NoticeSubject): Content | undefined {
    if (about === 'slo') return burn.current()
    if (about === 'answers') return waysDown.size > 0 ? { kind: 'ways down', ways: [...waysDown.values()] } : undefined
    const failures = failuresOf(about)
    return failures.dead === 0 ? undefined : failures
  }

  /**
   * Returns 'stuck' when no channel is known to work; undefined when no sender has a free slot, or when nothing is dead
   * any more.
   */
  function claimOne(
    about: NoticeSubject,
    hasSlot: (channel: ChannelName) => boolean,
  ): MessageDispatch | 'stuck' | undefined {
    const workingChannels = channelsThatWork(counts, channels, about === 'answers' ? [...waysDown.keys()] : [about])
    if (workingChannels.length === 0) return 'stuck'
    const via = workingChannels.find(hasSlot)
    const row = via === undefined ? undefined : first.get(about)
    if (via === undefined || row === undefined) return undefined
    const notice = contentOf(about)
    const firstAt = row.first_at ?? now()
    if (notice === undefined) rows.skip(row.number)
    else {
      assign.run(CHANNEL_CODE[via], row.number)
      begin.run(firstAt, row.number)
      leases.take({ kind: 'notice', destination: via, code: CHANNEL_CODE[via], incident: 0, number: row.number })
      counts.notices[about].lastAt = firstAt
    }
    refreshNextDue(about)
    if (notice === undefined) return undefined
    const facts = { title: titleOf(notice), severity: 'warning', status: 'firing' } as const
    return {
      ...noticeMessage(row, now()),
      ...{ destination: via, code: CHANNEL_CODE[via], rank: RANK.normal, notice, ...facts },
    }
  }

  function raise(about: NoticeSubject): void {
    const queue = counts.notices[about]
    if (queue.dueAt !== Infinity) return
    // The clock may have been set back since the last one.
    queue.dueAt = Math.max(now() + GATHER_MS, Math.min(queue.lastAt, now()) + intervalMs(about))
    rows.insert({ about }, { code: ANY_CHANNEL, dueAt: queue.dueAt })
  }

  return {
    /** Makes a notice about the subject due, unless one is pending. */
    raise,
    /** The way back of answers from a channel is down, or, without `way`, is not any more. */
    wayBack(channel: ChannelName, way?: WayDown): void {
      if (way === undefined) return void waysDown.delete(channel)
      waysDown.set(channel, way)
      raise('answers')
    },
    /**
     * Leases what is due; `slotsOf` returns the free slots of a channel's sender. Costs no query when nothing is due. `stuck`:
     * subjects with a due notice and no channel that is known to work.
     */
    claim(slotsOf: (channel: ChannelName) => number) {
      const dispatches: MessageDispatch[] = []
      const stuck: NoticeSubject[] = []
      lookedAt = now()
      const hasSlot = (channel: ChannelName) =>
        slotsOf(channel) > dispatches.filter(({ destination }) => destination === channel).length
      for (const about of NOTICE_SUBJECTS) {
        const claimed = counts.notices[about].dueAt <= lookedAt ? claimOne(about, hasSlot) : undefined
        if (claimed === 'stuck') stuck.push(about)
        else if (claimed !== undefined) dispatches.push(claimed)
      }
      return { dispatches, stuck }
    },
    /** Reads when the next notice about the subject is due, after pending ones have changed. */
    refreshNextDue,
    /** Returns the epoch milliseconds of the next notice; Infinity when none waits for a time. */
    nextAt: (): number =>
      Math.min(...NOTICE_SUBJECTS.map((about) => counts.notices[about].dueAt).filter((at) => at > lookedAt)),
  }
}

interface NewNotice {
  readonly about?: NoticeSubject
  /** JSON of a notice to one destination, which has no subject. */
  readonly words?: string
}

/** Opens the changes of rows of notices. Inside `write`. */
export function openNoticeRows({ db, now }: Pick<StoreContext, 'db' | 'now'>) {
  const add = db.query<{ number: number }>(`INSERT INTO notices (number, about, words)
     SELECT coalesce(max(number), 0) + 1, cast(? AS TEXT), cast(? AS TEXT) FROM notices RETURNING number`)
  const insert = db.command(`INSERT INTO dispatches (incident, kind, destination, number, state, due_at, target)
     VALUES (0, ${KIND.notice}, ?, ?, ${STATE.pending}, ?, ?)`)
  const skip = db.command(
    `UPDATE dispatches SET state = ${STATE.skipped}, due_at = NULL WHERE ${IS_NOTICE} AND number = ?`,
  )
  const end = db.command('UPDATE notices SET ended_at = ? WHERE number = ?')
  return {
    /** Adds a pending notice; returns its number. */
    insert(
      { about, words }: NewNotice,
      { code, dueAt, target }: { readonly code: number; readonly dueAt: number; readonly target?: string | undefined },
    ): number {
      const number = add.get(about ?? null, words ?? null)?.number as number
      insert.run(code, number, dueAt, target ?? null)
      return number
    },
    /** Ends a pending notice that has nothing to say any more. */
    skip(number: number): void {
      skip.run(number)
      end.run(now(), number)
    },
    /** Notes the end of one that was sent, or is dead. */
    end: (number: number): void => end.run(now(), number),
  }
}

/** Sets the counts of notices to those of the database. */
export function recountNotices({ db, counts }: StoreContext): void {
  const queues = db.query<{ due: number | null; last: number | null }>(
    `SELECT min(d.due_at) FILTER (WHERE d.state = ${STATE.pending}) AS due, max(n.first_at) AS last
     FROM ${NOTICES} WHERE n.about = ?`,
  )
  for (const about of NOTICE_SUBJECTS) {
    const row = queues.get(about)
    counts.notices[about] = { dueAt: row?.due ?? Infinity, lastAt: row?.last ?? -Infinity }
  }
}

/**
 * Channels that a notice may go through, best first: those whose last attempt succeeded, the latest first; then those
 * that were never tried; last those that the notice is about, if their last attempt succeeded.
 */
function channelsThatWork(
  { health }: Counts,
  channels: readonly ChannelName[],
  about: readonly NoticeSubject[],
): ChannelName[] {
  const rank = (channel: ChannelName) => {
    const { lastSentAt, lastError } = health[channel]
    if (lastSentAt !== undefined && lastSentAt >= (lastError?.at ?? 0)) return about.includes(channel) ? 2 : 0
    return lastSentAt === undefined && lastError === undefined && !about.includes(channel) ? 1 : 3
  }
  const lastSent = (channel: ChannelName) => health[channel].lastSentAt ?? 0
  return channels.filter((each) => rank(each) < 3).sort((a, b) => rank(a) - rank(b) || lastSent(b) - lastSent(a))
}

type Content = Failures | BurnNotice | WaysDownNotice

function titleOf(notice: Content): string {
  if (notice.kind === 'burn') return burnHeadline(notice)
  if (notice.kind === 'ways down') return waysDownHeadline(notice)
  return notice.about === 'oncall' ? 'Nobody was woken' : `Dead deliveries on ${notice.about}`
}
