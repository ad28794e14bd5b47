import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { type MessageDispatch, RANK } from '../../domain/delivery/dispatch.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { Lane } from '../engine/counts.ts'
import { fittingSilences } from '../noise/silences/live.ts'
import { subjectOf } from '../noise/silences/waiting.ts'
import { deliveryDispatch, type MessageRow, rowOfProblem } from '../outbox/delivery-dispatch.ts'
import { type DueRow, openDelivery } from '../outbox/due.ts'
import type { StoreParts } from '../parts.ts'
import type { GroupNotes } from './group-notes.ts'
import type { RepeatNotes } from './notes.ts'
import type { HandOut, KindRules } from './revise.ts'
import { type BundleRow, type BundleRows, isGroup } from './rows.ts'

interface MessageDeps {
  readonly notes: RepeatNotes
  readonly groupNotes: Pick<GroupNotes, 'ofBundle'>
  readonly rows: Pick<BundleRows, 'find' | 'set' | 'startedBy'>
  isStormy(lane: Lane<ChannelName>): boolean
}

/** The incident whose words a revision has; `content` replaces the payload of one that is not stored. */
type Words = { readonly row: DueRow } | { readonly row: MessageRow; readonly content: Uint8Array }

/** Opens the messages about problems and groups: with the payload of an incident, and lines of numbers. Inside `write`. */
export function openMessages(context: StoreParts, deps: MessageDeps): KindRules {
  const { db, counts, problems, tellings, payloads, decisions } = context
  const { notes, groupNotes, rows, isStormy } = deps
  const delivery = openDelivery(db)
  const latest = db.query<{ incident: number }>(
    `SELECT incident FROM dispatches WHERE bundle = ? AND kind = ${KIND.delivery} ORDER BY place DESC LIMIT 1`,
  )

  /** Looks for the message that may be edited. */
  function messageOf({ firstIncident, messageId, destination, group }: BundleRow) {
    if (messageId !== null) return { message: 'stands', messageId } as const
    const first = firstIncident === null ? undefined : delivery.get(firstIncident, destination)
    if (first === undefined) return { message: 'none' } as const
    // Other problems of a group do not wait for the end of a silence.
    const isHeld = group !== undefined && first.state === STATE.held
    if (STILL_TO_COME.has(first.state) && !isHeld) return { message: 'awaited' } as const
    if (first.state === STATE.dead || first.state === STATE.skipped) return { message: 'refused' } as const
    const { message_id: id } = first
    return id === null ? ({ message: 'none' } as const) : ({ message: 'stands', messageId: id } as const)
  }

  const isSilenced = (row: DueRow) =>
    counts.silences.active.length > 0 && fittingSilences(counts.silences, subjectOf(row, payloads)).length > 0

  /** A group has its message, and tells of more in it. */
  function isOfGroup({ destination, firstIncident, bundle: { kind } }: BundleRow): boolean {
    if (kind !== 'repeats' || firstIncident === null || counts.openGroups === 0) return false
    return (rows.startedBy(destination, firstIncident, 'group')?.bundle.folded ?? 0) > 0
  }

  /** Retention may have deleted the incidents. What the problem knows of the latest one is a payload then. */
  function wordsOfProblem({ code, target }: Lane, { subject, group }: BundleRow): Words | undefined {
    const fingerprint = group?.fires ?? subject
    const problem = fingerprint === null ? undefined : problems.find(fingerprint)
    if (problem === undefined) return undefined
    const { title, service, severity, state: status } = problem
    const words = { title, service, severity, status }
    const row = {
      ...rowOfProblem(problem),
      ...{ committed_at: problem.lastAt, destination: code, target: target ?? null },
      ...{ rank: RANK.low, number: 0, attempts: 0, may_duplicate: 0, pages: 0, decision: null },
    }
    return { row, content: new TextEncoder().encode(JSON.stringify(words)) }
  }

  /** The group's part of a message that is handed out. */
  function ofGroup(id: number, { way, mayRepeat }: HandOut, { incident, fingerprint, status }: MessageRow) {
    const note = groupNotes.ofBundle(id, { mayRepeat, words: fingerprint })
    const row = rows.find(id)
    if (isGroup(row)) {
      const { group } = row
      const posted = way === 'post' ? incident : group.posted
      rows.set({ ...row, group: { ...group, handed: group.problems, posted } })
    }
    const ownResolved = status === 'firing' && problems.find(fingerprint)?.state === 'resolved'
    return { rank: RANK.normal, ...(note && { group: { ...note, ...(ownResolved && { ownResolved }) } }) }
  }

  function compose(lane: Lane<ChannelName>, bundle: BundleRow, words: Words, handOut: HandOut): MessageDispatch {
    const template = decisions.templateOf(words.row.decision, lane)
    return {
      ...deliveryDispatch(words.row, lane, tellings),
      ...(template === undefined ? undefined : { template }),
      content: 'content' in words ? words.content : payloads.of(words.row),
      dispatchedAt: 0,
      ...(isGroup(bundle)
        ? ofGroup(bundle.id, handOut, words.row)
        : { rank: RANK.low, repeats: notes.ofBundle(bundle) }),
    }
  }

  return {
    look(lane, row) {
      // A message of a group that rings has the words of what fires.
      const fires = isGroup(row) ? problems.find(row.group.fires) : undefined
      const incident = fires?.state === 'firing' ? fires.lastIncident : latest.get(row.id)?.incident
      const newest = incident === undefined ? undefined : delivery.get(incident, lane.code)
      const words = newest === undefined ? wordsOfProblem(lane, row) : { row: newest }
      if (words === undefined) return undefined
      return {
        ...messageOf(row),
        isTaken: isStormy(lane) || isOfGroup(row),
        // A silence holds the problems of a group by themselves.
        isSilenced: newest !== undefined && !isGroup(row) && isSilenced(newest),
        compose(handOut) {
          const { way } = handOut
          const { firstIncident } = row
          const kept = way === 'edit' && firstIncident !== null ? delivery.get(firstIncident, lane.code) : undefined
          return compose(lane, row, kept === undefined ? words : { row: kept }, handOut)
        },
      }
    },
    answer(lane, { answer }) {
      const row = delivery.get(answer, lane.code)
      if (row !== undefined && STILL_TO_COME.has(row.state)) return 'awaited'
      // A digest tells of the end, and of none of the repeats before it.
      return row?.state === STATE.sent && row.bundle === null ? 'sent' : 'lost'
    },
    told(_lane, row) {
      if (isGroup(row)) rows.set({ ...row, group: { ...row.group, told: row.group.handed } })
    },
  }
}

const STILL_TO_COME: ReadonlySet<number> = new Set([STATE.pending, STATE.sending, STATE.held])
