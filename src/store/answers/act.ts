import type { Answer, Answered } from '../../domain/answer.ts'
import { incidentNumberOf } from '../../domain/incident-id.ts'
import type { Problem } from '../../policy/problem.ts'
import { isTaken } from '../../policy/repeat.ts'
import { ofProblem } from '../../policy/silences/of-problem.ts'
import type { SilenceSettings } from '../../policy/silences/settings.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { openDigestAnswers, Walk } from './digest.ts'
import type { Acted, AnswerParts } from './parts.ts'
import type { AnswerRow } from './rows.ts'
import { isSuperseded } from './superseded.ts'

/** The incident whose message was pressed. */
interface Pressed {
  readonly seq: number
  readonly committed_at: number
  readonly problem: number
}

/** `isFull`: no further silence can be live, and a press of one acknowledges alone. */
type Done = Acted & { readonly isFull?: true }

/**
 * Opens what an answer does, with its row. Checks in this order: its key, its incident, whether the message is of an earlier
 * spell of the problem, whether that is over, and whether the order was carried out before. Inside `write`.
 */
export function openAct(parts: AnswerParts, digests: Pick<ReturnType<typeof openDigestAnswers>, 'press'>) {
  const { db, now, problems, rows, incidents, actions, copies } = parts
  const silences = openSilenceByPress(parts)
  const incident = db.query<Pressed>('SELECT seq, committed_at, problem FROM incidents WHERE id = ?')

  function overBy(problem: Problem): string | undefined {
    if (problem.endedBy !== 'person') return problem.endedBy === 'sender' ? 'its sender' : undefined
    return rows.resolved([problem.id])[0]?.actor
  }

  function acknowledged(answer: Answer, problem: Problem): Done {
    const { ackedAt, ackedBy } = problem
    const asks = !isTaken(problem) || incidents.asksAgain(problem.id)
    const oncall = !isTaken(problem)
      ? (actions.acknowledge(problem.id, answer.actor) ?? [])
      : incidents.acknowledgeProblem(problem.id, answer.actor)
    if (asks || ackedAt === null || oncall.length > 0) return { answered: { result: 'done' }, oncall }
    return { answered: { result: 'already', at: ackedAt, ...(ackedBy !== null && { by: ackedBy }) }, oncall }
  }

  /** Else the chat is quiet, and the pager goes on to the next person. */
  function silenced(answer: Answer, problem: Problem): Done {
    const { answered, oncall } = acknowledged(answer, problem)
    if (silences.isFull(problem)) return { answered, oncall, isFull: true }
    const made = silences.begin(answer, problem)
    if (made === undefined) return { answered: { result: answered.result }, oncall }
    return { answered: { result: 'done', silence: made.silence }, oncall: [...oncall, ...made.oncall] }
  }

  function endedSilence(answer: Answer, problem: Problem): Done {
    const ended = silences.end(answer, problem)
    if (ended === undefined) return { answered: { result: 'already' }, oncall: NOTHING }
    return { answered: { result: 'done', silence: ended.silence }, oncall: ended.oncall }
  }

  /** The problem fires, and is the one that the message is about. */
  function carriedOut(answer: Answer, problem: Problem): Done {
    switch (answer.action) {
      case 'acknowledge':
        return acknowledged(answer, problem)
      case 'resolve':
        return { answered: { result: 'done' }, oncall: actions.resolve(problem.id, answer.actor) ?? [] }
      case 'silence':
      case 'silence_until_resolved':
        return silenced(answer, problem)
      case 'end_silence':
        return endedSilence(answer, problem)
      default:
        return { answered: { result: 'unknown' }, oncall: NOTHING }
    }
  }

  /** Retention deletes incidents of a problem that fires: a problem has the number of its first one. */
  function deleted(id: string): Pressed | undefined {
    const number = incidentNumberOf(id)
    return number === undefined ? undefined : { seq: number, committed_at: 0, problem: number }
  }

  function onIncident(answer: Answer, id: string): Done {
    problems.flush()
    const pressed = incident.get(id) ?? deleted(id)
    const problem = pressed && problems.numbered(pressed.problem)
    if (pressed === undefined || problem === undefined) return { answered: { result: 'unknown' }, oncall: NOTHING }
    if (answer.mustBeCopy && !copies.wasSent(pressed.seq, answer))
      return { answered: { result: 'wrong_chat' }, oncall: NOTHING }
    const acted = onProblem(answer, pressed, problem)
    if (acted.answered.result === 'done') copies.changed(problems.numbered(problem.id))
    // Also where nothing was changed: the message shows an earlier state.
    copies.pressed(pressed.seq, answer)
    return acted
  }

  function onProblem(answer: Answer, pressed: Pressed, problem: Problem): Done {
    const about = { problem: problem.id, title: problem.title }
    if (isSuperseded(problem, pressed)) return { answered: { result: 'superseded', ...about }, oncall: NOTHING }
    if (problem.state === 'resolved') {
      const by = overBy(problem)
      return { answered: { result: 'over', ...about, at: problem.since, ...(by && { by }) }, oncall: NOTHING }
    }
    const { answered, ...done } = carriedOut(answer, problem)
    return { answered: { ...about, ...answered }, ...done }
  }

  function act(answer: Answer): Done & { readonly walk?: Walk } {
    const { action, subject } = answer
    if (action === 'test') return { answered: { result: 'done' }, oncall: NOTHING }
    if (subject.kind === 'incident') return onIncident(answer, subject.id)
    if (action !== 'acknowledge_all') return { answered: { result: 'unknown' }, oncall: NOTHING }
    const { result, ...done } = digests.press(answer, subject.number, subject.revision)
    return { answered: { result }, ...done }
  }

  /** Returns what became of a press that is repeated. */
  function again({ result, problem: number, silence }: AnswerRow): Answered {
    const problem = number === null ? undefined : problems.numbered(number)
    return {
      ...{ result, again: true },
      ...(problem && { problem: problem.id, title: problem.title }),
      ...(silence !== null && { silence }),
    }
  }

  return (answer: Answer): Acted => {
    const earlier = rows.withKey(answer.key)
    if (earlier !== undefined) return { answered: again(earlier), oncall: NOTHING }
    const { walk = { next_place: null, through: null }, isFull = false, ...acted } = act(answer)
    const { subject, via, person = null, actor, actorId: actor_id } = answer
    const { result, problem = null, silence = null } = acted.answered
    const { action, minutes = null } = isFull ? { action: 'acknowledge' as const } : answer
    // The key of these is their token, whose press may do more another time.
    const isOfToken = via === 'link' || via === 'ntfy'
    rows.add({
      ...(!isFull && (result === 'done' || !isOfToken) && { key: answer.key }),
      ...{ at: now(), action, minutes, via, person, actor },
      ...{ actor_id, place: answer.place, problem, result, silence, ...walk },
      incident: subject.kind === 'incident' ? subject.id : null,
      digest: subject.kind === 'digest' ? subject.number : null,
    })
    return isFull ? { ...acted, answered: { ...acted.answered, result: 'not_silenced' } } : acted
  }
}

const NOTHING: readonly OncallChange[] = []

const MINUTE_MS = 60_000

/**
 * Opens the silences of exactly one problem that presses make, one a problem. `begin` and `end` return undefined if there is one
 * that ends later already, or none to end. Inside `write`.
 */
function openSilenceByPress({ now, pressed, actions: { say } }: AnswerParts) {
  function settingsOf({ action, minutes = 0, quietForMs, maxMs, actor, via }: Answer, problem: Problem) {
    const untilResolved = action === 'silence_until_resolved'
    return {
      ...ofProblem(problem),
      startsAt: now(),
      endsAt: now() + (untilResolved ? maxMs : minutes * MINUTE_MS),
      untilResolved,
      ...(untilResolved && { quietMs: quietForMs }),
      owner: actor,
      comment: `pressed in ${via}`,
    } satisfies SilenceSettings
  }

  return {
    /** One more would be too many; one that is there can be prolonged. */
    isFull: ({ id }: Problem): boolean => pressed.isFull() && pressed.find(id) === undefined,
    /** The later end wins, by a minute at least. One that a clock set back put into the future begins now. */
    begin(answer: Answer, problem: Problem) {
      const settings = settingsOf(answer, problem)
      const live = pressed.find(problem.id)
      if (live?.window !== undefined && settings.endsAt < live.settings.endsAt + MINUTE_MS) return undefined
      say({ id: problem.id, word: 'silenced', by: answer.actor })
      if (live === undefined) {
        const { id: silence, oncall } = pressed.add(settings)
        return { silence, oncall }
      }
      const startsAt = Math.min(live.settings.startsAt, settings.startsAt)
      return { silence: live.id, oncall: pressed.change(live.id, { ...settings, startsAt }) }
    },
    end({ actor: by }: Answer, { id }: Problem) {
      const live = pressed.find(id)
      if (live === undefined) return undefined
      say({ id, word: 'silence_ended', by })
      return { silence: live.id, oncall: pressed.end(live.id, by) }
    },
  }
}
