import type { Answer } from '../../domain/answer.ts'
import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { RANK } from '../../domain/delivery/dispatch.ts'
import type { Problem } from '../../policy/problem.ts'
import { isGroup } from '../bundles/rows.ts'
import { CHANNEL_CODE, KIND, STATE } from '../engine/column-codes.ts'
import { queueOf } from '../engine/counts.ts'
import { listOf, withoutNul } from '../engine/statement.ts'
import type { NoiseParts } from '../noise/noise.ts'
import type { EditDetail } from '../outbox/edits.ts'
import { addPending, followUpQueue } from '../outbox/queues.ts'

/** A message about a problem at a destination, by the incident that it tells of. */
interface Copy {
  readonly incident: number
  readonly destination: number
  readonly target: string | null
  /** The provider's id; null: the message is on its way. */
  readonly message_id: string | null
  /** -1: a second message, which a repeated send left; below: -1 less the number of a digest that is closed. */
  readonly number?: number
}

/** Incidents of a problem that are looked at for their messages, the newest first, and where only the newest counts. */
const STEPS = 512
export const FEW_STEPS = 8

/**
 * The copies of a problem: its messages where people answer. After a change each gets an edit, a row of kind `follow-up` and
 * number 0 (-1 for a second message) in the outbox, one a copy, whose text is made when it is claimed. `answering`: the enabled
 * channels from whose messages people answer; `copies`: messages that are edited at each destination. Inside `write`.
 */
export type Copies = ReturnType<typeof openCopies>

export function openCopies(context: NoiseParts, answering: readonly ChannelName[], copies: number) {
  const { db, counts, lanes, now, tellings, bundles } = context
  const { rows, isStormy } = bundles
  const codes = `(SELECT code FROM destinations WHERE channel IN (${listOf(answering.map((name) => CHANNEL_CODE[name]))}))`
  const walk = db.query<Copy>(`WITH RECURSIVE walk (seq, previous, step) AS (
       SELECT seq, previous, 1 FROM incidents WHERE seq = ?1
       UNION ALL SELECT i.seq, i.previous, w.step + 1 FROM walk w CROSS JOIN incidents i
       WHERE i.seq = w.previous AND (i.seq >= ?2 OR i.committed_at >= ?3) AND w.step < ?4)
     SELECT d.incident, d.destination, d.target, d.message_id
     FROM walk w CROSS JOIN incidents i CROSS JOIN dispatches d
     WHERE i.seq = w.seq AND i.status = 'firing' AND d.incident = w.seq AND d.kind = ${KIND.delivery} AND d.bundle IS NULL AND d.destination IN ${codes}
       AND (d.state = ${STATE.sending} OR d.state = ${STATE.sent} AND d.message_id IS NOT NULL)`)
  const placesOf = db.query<{ bundle: number }>(
    `SELECT bundle FROM dispatches WHERE incident = ? AND kind = ${KIND.delivery} AND bundle IS NOT NULL AND destination IN ${codes}`,
  )
  const ofIncident = db.query<Copy>(`SELECT incident, destination, target, message_id FROM dispatches
     WHERE incident = ? AND kind = ${KIND.delivery} AND destination IN (SELECT code FROM destinations WHERE channel = ?)`)
  const told = db.query<object>(`SELECT 1 FROM attempts WHERE incident = ?1 AND message_id = ?2
     UNION ALL SELECT 1 FROM dispatches d CROSS JOIN revisions r
     WHERE d.incident = ?1 AND d.bundle IS NOT NULL AND r.bundle = d.bundle AND r.message_id = ?2`)
  const learn = db.command(
    `UPDATE dispatches SET message_id = ? WHERE incident = ? AND kind = ${KIND.delivery} AND destination = ? AND number = 0 AND bundle IS NULL`,
  )
  const stored = db.query<object>('SELECT 1 FROM incidents WHERE seq = ?')
  const find = db.query<{ state: number; rank: number }>(
    `SELECT state, rank FROM dispatches WHERE incident = ? AND kind = ${KIND['follow-up']} AND destination = ? AND number = ?`,
  )
  const save = db.command(
    `INSERT INTO dispatches (incident, kind, destination, number, state, due_at, target, detail, rank)
     VALUES (?1, ${KIND['follow-up']}, ?2, ?7, ${STATE.pending}, ?3, ?4, ?5, ?6)
     ON CONFLICT (incident, kind, destination, number) DO UPDATE SET due_at = excluded.due_at, detail = excluded.detail, rank = excluded.rank`,
  )

  /** An edit that is with the sender has the state of before: it goes once more. One that waits goes with the rank that it has. */
  function edit({ incident, destination, target, message_id, number = 0 }: Copy, rank: number, dueAt: number): void {
    const was = find.get(incident, destination, number)
    const isLeased = was?.state === STATE.sending
    // Retention may have deleted it: the message has no words any more.
    if (was === undefined && stored.get(incident) === undefined) return
    const isKept = was !== undefined && (isLeased || rank === RANK.low)
    const detail: EditDetail = { edit: message_id, ...(isLeased && { again: true }) }
    save.run(incident, destination, dueAt, target, JSON.stringify(detail), isKept ? was.rank : rank, number)
    if (isKept) return
    if (was !== undefined) queueOf(counts, followUpQueue(was.rank), destination).pending--
    addPending(queueOf(counts, followUpQueue(rank), destination), dueAt)
  }

  /** The message of a group has the state of the group, and is edited by its revisions; one alone in its group has none. */
  function groupOf({ incident, destination }: Copy): number | undefined {
    const row = counts.openGroups > 0 ? rows.startedBy(destination, incident, 'group') : undefined
    return isGroup(row) && (row.bundle.folded > 0 || row.bundle.revision > 0) ? row.id : undefined
  }

  /** Returns the groups that have a place of the latest incident. */
  const groupsOf = ({ lastIncident }: Problem): number[] =>
    counts.openGroups === 0
      ? []
      : placesOf.all(lastIncident).flatMap(({ bundle }) => (isGroup(rows.find(bundle)) ? [bundle] : []))

  /** Returns the newest message at each destination, which may have told of many incidents. */
  function* known({ id, opening, flap, fingerprint, state, lastIncident }: Problem): Generator<Copy> {
    for (const { destination, incident, messageId } of tellings.all(id)) {
      const { destination: channel, target = null } = lanes.stored(destination) ?? {}
      if (!answering.some((name) => name === channel)) continue
      const reminder = state === 'firing' ? rows.taking(destination, fingerprint) : undefined
      if (reminder?.firstIncident === null && reminder.messageId !== null)
        yield { incident: lastIncident, destination, target, message_id: reminder.messageId }
      if (messageId !== null && incident !== null && (incident >= opening || flap !== null))
        yield { incident, destination, target, message_id: messageId }
    }
  }

  /** Returns at most `each` copies at each destination, newest first. */
  function newest(problem: Problem, each: number, steps: number): Copy[] {
    const { lastIncident, opening, flap } = problem
    const found = [...known(problem), ...walk.all(lastIncident, opening, flap?.since ?? Number.MAX_SAFE_INTEGER, steps)]
    const unique = [...new Map(found.reverse().map((copy) => [`${copy.incident} ${copy.destination}`, copy])).values()]
    const byDestination = Map.groupBy(
      unique.sort((a, b) => b.incident - a.incident),
      ({ destination }) => destination,
    )
    // A phone shows each edit as a notification.
    const most = (code: number) => (lanes.of(code).destination === 'ntfy' ? 1 : each)
    return [...byDestination].flatMap(([code, all]) => all.slice(0, most(code)))
  }

  return {
    /** A person changed problems of a digest that is closed. `incident`: one with a place in it. */
    digestChanged(digest: number, copy: Pick<Copy, 'incident' | 'destination' | 'message_id'>): void {
      const { destination: channel, target = null } = lanes.of(copy.destination)
      if (answering.some((name) => name === channel)) edit({ ...copy, target, number: -1 - digest }, RANK.low, now())
    },
    /** A person changed the problem. */
    changed(problem: Problem | undefined, steps = STEPS): void {
      if (answering.length === 0 || problem === undefined) return
      const found = newest(problem, copies, steps)
      found.filter((copy) => groupOf(copy) === undefined).forEach((copy, at) => void edit(copy, RANK.low, now() + at))
      for (const group of new Set([...groupsOf(problem), ...found.flatMap((copy) => groupOf(copy) ?? [])]))
        bundles.changed(group, problem)
    },
    /** Its sender, or quiet, ended the problem: the newest message at each destination loses its buttons, but not in a storm. */
    ended(problem: Problem | undefined): void {
      if (problem?.state !== 'resolved' || answering.every((name) => lanes.all(name).every(isStormy))) return
      for (const copy of newest(problem, 1, FEW_STEPS))
        if (!isStormy(lanes.ofChannel(copy.destination)) && groupOf(copy) === undefined) edit(copy, RANK.low, now())
    },
    /** A message was pressed: it goes before all others, and is learned where its send had no answer. */
    pressed(incident: number, { via, copy, mustBeCopy }: Pick<Answer, 'via' | 'copy' | 'mustBeCopy'>): void {
      if (copy === undefined || via === 'link' || via === 'admin' || !answering.includes(via)) return
      const all = ofIncident.all(incident, CHANNEL_CODE[via])
      const id = withoutNul(copy.messageId)
      // Ids of messages are those of one chat: in another one they name another message.
      const there = mustBeCopy ? all : all.filter(({ target }) => (target ?? undefined) === copy.target)
      const own = there.find(({ message_id }) => message_id === id) ?? (mustBeCopy ? undefined : there[0])
      if (own === undefined || groupOf(own) !== undefined) return
      if (own.message_id === null) learn.run(id, incident, own.destination)
      const isSecond = own.message_id !== null && own.message_id !== id
      edit({ ...own, message_id: id, ...(isSecond && { number: -1 }) }, RANK.normal, now())
    },
    /** Returns whether a message was sent for an incident. */
    wasSent: (incident: number, { copy }: Pick<Answer, 'copy'>): boolean =>
      copy !== undefined && told.get(incident, withoutNul(copy.messageId)) !== undefined,
  }
}
