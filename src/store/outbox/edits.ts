import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { type DispatchKey, type MessageDispatch, RANK } from '../../domain/delivery/dispatch.ts'
import type { BriefReplies } from '../brief/reply.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { Lane } from '../engine/counts.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { deliveryDispatch } from './delivery-dispatch.ts'
import { type DueRow, keyOf, openDelivery, openDue } from './due.ts'
import { openQueues } from './queues.ts'

/** What only an edit has: JSON of the column `detail`. */
export interface EditDetail {
  /** The provider's id of the message; null: its message was on the way. */
  readonly edit: string | null
  /** The problem changed while it was with the sender. */
  readonly again?: true
}

/** An edit that was due for this time is dropped. */
const FRESH_MS = 24 * 3_600_000
/** The chatws provider allows 50 edits a minute to one app, whatever the number of chats. */
const CHANNEL_GAP_MS = 1_500
/** A message that is on its way has its id after some of this time. */
const AWAIT_MS = 2_000
/** Edits that one claim looks at. */
const STEP = 16

/**
 * Opens the claim of edits: messages that get line and buttons of now. Those that were pressed are claimed as follow-ups; the
 * others have a queue of their own, after all messages. Inside `write`, except `nextAt`.
 */
export function openEdits(context: NoiseParts, briefs?: Pick<BriefReplies, 'take'>) {
  const { counts, db, lanes, now, leases, payloads, decisions, tellings, bundles } = context
  const { refreshNextDue } = openQueues(context)
  const due = openDue(db)
  const delivery = openDelivery(db)
  const notBefore = new Map<number | ChannelName, number>()
  const KEY = `incident = ? AND kind = ${KIND['follow-up']} AND destination = ? AND number = ?`
  const postpone = db.command(`UPDATE dispatches SET due_at = ? WHERE ${KEY}`)
  const save = db.command(`UPDATE dispatches SET detail = ? WHERE ${KEY}`)
  const saved = db.query<{ detail: string }>(`SELECT detail FROM dispatches WHERE ${KEY}`)

  /** The clock may be set back: nothing waits for longer than its gap. */
  const waitsUntil = (of: number | ChannelName, ms: number) => {
    const at = notBefore.get(of) ?? 0
    return at > now() + ms ? 0 : at
  }
  const freeAt = ({ code, destination }: Lane<ChannelName>) =>
    Math.max(waitsUntil(code, bundles.gapMs(destination)), waitsUntil(destination, CHANNEL_GAP_MS))

  /** A message that is sent once more has the state of then by itself. */
  function messageOf({ incident }: DueRow, code: number, { edit }: EditDetail): string | 'awaited' | null {
    const own = edit === null ? delivery.get(incident, code) : undefined
    if (own?.state === STATE.sending) return 'awaited'
    const message = edit ?? (own?.state === STATE.sent ? own.message_id : null)
    const revised = counts.bundles.get(code)?.sending
    // A revision that is with the sender may be sent later, with the state of before.
    return message !== null && revised !== undefined && bundles.rows.find(revised)?.messageId === message
      ? 'awaited'
      : message
  }

  function dispatchOf(row: DueRow, lane: Lane<ChannelName>, edits: string): MessageDispatch {
    const template = decisions.templateOf(row.decision, lane)
    return {
      ...deliveryDispatch(row, lane, tellings),
      ...bundles.notes.ofCopy({ ...row, code: lane.code, messageId: edits }),
      ...(template === undefined ? undefined : { template }),
      ...{ kind: 'follow-up', rank: row.rank === RANK.low ? RANK.low : RANK.urgent, edits },
      content: payloads.of(row),
      dispatchedAt: now(),
    }
  }

  /** Undefined: nothing is known any more that it could say. */
  function composed(row: DueRow, lane: Lane<ChannelName>, edits: string): MessageDispatch | undefined {
    const { incident, number, attempts } = row
    if (number >= -1) return dispatchOf(row, lane, edits)
    const digest = bundles.closedDigest(lane, -1 - number)
    return digest && { ...digest, kind: 'follow-up', rank: RANK.low, incident, number, edits, attempt: attempts + 1 }
  }

  /** Leases an edit that is due, unless it is dropped, or waits. */
  function take(row: DueRow, lane: Lane<ChannelName>): MessageDispatch[] {
    const { incident, rank, number } = row
    const { code, destination } = lane
    const key = keyOf(row, 'follow-up', destination)
    const { again, ...detail }: EditDetail = JSON.parse(row.detail ?? '')
    const message = messageOf(row, code, detail)
    const isOld = message === null || (row.due_at ?? 0) < now() - FRESH_MS
    const dispatch = isOld || message === 'awaited' ? undefined : composed(row, lane, message)
    const isDropped = dispatch === undefined && message !== 'awaited'
    if (isDropped) leases.remove(key, 'pending', rank)
    else if (message === 'awaited') postpone.run(now() + AWAIT_MS, incident, code, number)
    if (dispatch === undefined) return []
    if (again) save.run(JSON.stringify(detail), incident, code, number)
    leases.take(key, rank)
    return [dispatch]
  }

  /** One of before a reload that ended replies is dropped. */
  function takeBrief(row: DueRow, lane: Lane<ChannelName>): MessageDispatch[] {
    if (briefs !== undefined) return briefs.take(row, lane)
    leases.remove(keyOf(row, 'follow-up', lane.destination), 'pending', row.rank)
    return []
  }

  function claimLane(lane: Lane<ChannelName>): MessageDispatch[] {
    let taken: MessageDispatch[] = []
    for (const row of due.all(KIND['follow-up'], lane.code, RANK.low, now(), STEP)) {
      taken = row.number > 0 ? takeBrief(row, lane) : take(row, lane)
      if (taken.length > 0) break
    }
    refreshNextDue('edit', lane.code)
    return taken
  }

  return {
    take,
    /** Leases one edit at most. */
    claim(channel: ChannelName, slots: number): MessageDispatch[] {
      if (slots < 1) return []
      const waiting = lanes
        .all(channel)
        .filter(({ code }) => (counts.queues.edit.get(code)?.dueAt ?? Infinity) <= now())
      const [lane] = waiting.sort((a, b) => (notBefore.get(a.code) ?? 0) - (notBefore.get(b.code) ?? 0))
      if (lane === undefined || freeAt(lane) > now()) return []
      const taken = claimLane(lane)
      if (taken.length === 0) return taken
      notBefore.set(channel, now() + CHANNEL_GAP_MS)
      notBefore.set(lane.code, now() + bundles.gapMs(channel))
      return taken
    },
    /** The problem changed while this edit was with its sender. */
    isStaleNow: ({ incident, code, number }: DispatchKey): boolean =>
      (JSON.parse(saved.get(incident, code, number)?.detail ?? '{}') as Partial<EditDetail>).again === true,
    nextAt(lane: Lane): number {
      const dueAt = counts.queues.edit.get(lane.code)?.dueAt ?? Infinity
      return dueAt === Infinity ? Infinity : Math.max(dueAt, freeAt(lane as Lane<ChannelName>))
    },
  }
}

export type Edits = ReturnType<typeof openEdits>
