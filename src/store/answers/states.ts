import type { AnswerState } from '../../domain/answer.ts'
import type { Dispatch, MessageDispatch } from '../../domain/delivery/dispatch.ts'
import type { Problem } from '../../policy/problem.ts'
import { isTaken } from '../../policy/repeat.ts'
import type { LiveSilence } from '../noise/silences/live.ts'
import type { AnswerParts } from './parts.ts'
import type { AnswerRow } from './rows.ts'
import { isSuperseded } from './superseded.ts'

type Last = NonNullable<AnswerState['last']>

const DID = {
  acknowledge: 'acknowledged',
  acknowledge_all: 'acknowledged',
  resolve: 'resolved',
  silence: 'silenced',
  silence_until_resolved: 'silenced',
  end_silence: 'silence_ended',
  test: 'acknowledged',
} as const satisfies { readonly [action in AnswerRow['action']]: Last['did'] }

/**
 * Opens what a turn adds to the messages that it hands out: the state of their problem now, so that the order in which
 * messages and edits arrive does not matter. Costs nothing while no channel takes answers. Inside `write`.
 */
export function openAnswerStates({ problems, bundles, answering, rows, pressed }: AnswerParts) {
  const isAnswering = new Set<string>(answering)

  /** Problems to which nothing was done cost no query. */
  function lastOf(all: readonly Problem[]): Map<number, AnswerRow> {
    const ended = all.filter(({ endedBy }) => endedBy === 'person').map(({ id }) => id)
    const acknowledged = all.filter(({ ackedAt, endedBy }) => ackedAt !== null && endedBy !== 'person')
    const found = [...rows.last(acknowledged.map(({ id }) => id)), ...rows.resolved(ended)]
    return new Map(found.map((row) => [row.problem ?? 0, row]))
  }

  function ofProblem(message: MessageDispatch, problem: Problem, row: AnswerRow | undefined): AnswerState {
    const { committedAt: committed_at, id } = message
    // A revision beside a message has no incident of its own.
    const isOfNow = message.kind === 'digest' && committed_at >= problem.openedAt
    const seq = isOfNow ? problem.opening : message.incident
    const isOver = problem.state === 'resolved' || isSuperseded(problem, { seq, committed_at })
    const last = lastIn(problem, row, row?.silence ? pressed.find(problem.id, row.silence) : undefined)
    return {
      subject: { kind: 'incident', id },
      phase: isOver ? 'over' : 'firing',
      ...(last && { last }),
      acknowledged: isTaken(problem),
      silenced: pressed.find(problem.id)?.window !== undefined,
    }
  }

  function ofDigest({ number: bundleNumber, notice, status }: MessageDispatch): AnswerState {
    const { digest: number, revision = 0 } = notice?.kind === 'digest' ? notice : { digest: bundleNumber }
    const bundle = bundles.rows.find(number)?.bundle
    const row = rows.lastOfDigest(number)
    return {
      subject: { kind: 'digest', number, revision: revision || (bundle?.revision ?? 0) + 1 },
      phase: status === 'firing' ? 'firing' : 'over',
      ...(row && { last: { did: 'acknowledged', by: row.actor, at: row.at } }),
      acknowledged: row !== undefined && (row.through ?? 0) >= (bundle?.sending?.through ?? 0),
      silenced: false,
    }
  }

  return (dispatches: Dispatch[]): Dispatch[] => {
    if (answering.length === 0) return dispatches
    const messages = dispatches.flatMap((each) => (isAnswering.has(each.destination) && shows(each) ? [each] : []))
    if (messages.length === 0) return dispatches
    const known = problems.list([...new Set(messages.flatMap(({ problem }) => problem ?? []))])
    const last = lastOf(known)
    const byNumber = new Map(known.map((problem) => [problem.id, problem]))
    const states = new Map<Dispatch, AnswerState>()
    for (const message of messages) {
      const problem = byNumber.get(message.problem ?? 0)
      if (isOfMany(message)) states.set(message, ofDigest(message))
      else if (problem !== undefined) states.set(message, ofProblem(message, problem, last.get(problem.id)))
    }
    return dispatches.map((each) => {
      const answers = states.get(each)
      return answers === undefined || each.destination === 'oncall' ? each : { ...each, answers }
    })
  }
}

/** Lines in threads, notices and resolutions have no buttons. */
const shows = (dispatch: Dispatch): dispatch is MessageDispatch =>
  dispatch.kind === 'digest' ||
  (dispatch.kind === 'delivery' && dispatch.status === 'firing') ||
  (dispatch.kind === 'follow-up' && dispatch.edits !== undefined)

const isOfMany = ({ kind, notice, group }: MessageDispatch) =>
  notice?.kind === 'digest' || (kind === 'digest' && group !== undefined)

/** A row is of this spell: each acknowledgement has one. A silence that ran out leaves the acknowledgement. */
function lastIn(
  { ackedAt, ackedBy }: Problem,
  row: AnswerRow | undefined,
  silence: LiveSilence | undefined,
): Last | undefined {
  if (row !== undefined && (DID[row.action] !== 'silenced' || silence?.window !== undefined)) {
    const until = silence?.settings.untilResolved ? 'resolved' : silence?.settings.endsAt
    return { did: DID[row.action], by: row.actor, at: row.at, ...(until !== undefined && { until }) }
  }
  return ackedAt === null ? undefined : { did: 'acknowledged', by: ackedBy ?? '', at: ackedAt }
}
