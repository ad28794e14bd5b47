import type { AnswerAction } from '../../domain/answer.ts'
import { isTaken } from '../../policy/repeat.ts'
import type { SilenceSettings } from '../../policy/silences/settings.ts'
import { withoutNul } from '../engine/statement.ts'
import type { openAcknowledge } from '../incidents/acknowledge.ts'
import type { StoreParts } from '../parts.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Acknowledgement } from '../ports/operator.ts'
import type { ProblemActions } from '../problems/operate.ts'
import { openNamedProblem } from '../problems/queries/named.ts'
import type { Copies } from './copies.ts'
import type { AnswerRow, AnswerRows } from './rows.ts'

const MINUTE_MS = 60_000

interface CommandDeps {
  readonly rows: Pick<AnswerRows, 'add'>
  readonly incidents: Pick<ReturnType<typeof openAcknowledge>, 'acknowledge' | 'resolve'>
  readonly actions: ProblemActions
  readonly copies: Pick<Copies, 'changed'>
}

interface Command extends Pick<AnswerRow, 'result'> {
  readonly action: AnswerAction
  readonly by: string
  readonly problem?: number | undefined
  readonly incident?: string
  readonly silence?: number
  readonly minutes?: number
  readonly via?: 'link' | 'admin'
  /** Key of a person of the configuration. */
  readonly person?: string
}

/** Opens the commands that come without a press, each with its row. Inside `write`. */
export function openCommands(context: StoreParts, { rows, incidents, actions, copies }: CommandDeps) {
  const { problems } = context
  const named = openNamedProblem(context)

  /** Else an order that can be carried out changes nothing. */
  function isOpen(number: number | undefined, action: 'acknowledge' | 'resolve'): boolean {
    const problem = problems.numbered(number ?? 0)
    return problem?.state === 'firing' && (action === 'resolve' || !isTaken(problem))
  }

  function record({ action, by, problem, incident, silence, minutes, result, via = 'admin', person }: Command): void {
    const none = { minutes: minutes ?? null, person: person ?? null, digest: null, next_place: null, through: null }
    const found = problem ?? null
    const from = { via, actor: by, actor_id: '', place: '', at: context.now(), action, result }
    rows.add({ ...none, ...from, problem: found, incident: incident ?? null, silence: silence ?? null })
    if (result === 'done' && found !== null) copies.changed(problems.numbered(found))
  }

  const acknowledgeFrom =
    (via: 'link' | 'admin') =>
    (id: string, by: string, problem?: number): Acknowledgement => {
      const about = problem ?? named({ incident: id })?.id
      const result = isOpen(about, 'acknowledge') ? 'done' : 'already'
      const done = incidents.acknowledge(id, by, problem)
      if (done.kind !== 'unknown') record({ action: 'acknowledge', by, problem: about, incident: id, result, via })
      return done
    }

  const ofProblem =
    (action: 'acknowledge' | 'resolve', change: ProblemActions['resolve']) =>
    (problem: number, by: string): readonly OncallChange[] | undefined => {
      const result = isOpen(problem, action) ? 'done' : 'already'
      const changes = change(problem, by)
      if (changes !== undefined) record({ action, by, problem, result })
      return changes
    }

  /** Of a silence of one problem that an operator made or changed. `by`: present when it was ended. */
  function silenced(silence: number, { problem, untilResolved, endsAt, owner }: SilenceSettings, by?: string): void {
    if (problem === undefined) return
    const about = { problem: problem.id, silence, result: 'done' } as const
    if (by !== undefined) record({ action: 'end_silence', by, ...about })
    else if (untilResolved) record({ action: 'silence_until_resolved', by: owner, ...about })
    else {
      const minutes = Math.max(1, Math.round((endsAt - context.now()) / MINUTE_MS))
      record({ action: 'silence', by: owner, minutes, ...about })
    }
  }

  const acknowledge = ofProblem('acknowledge', actions.acknowledge)
  return {
    silenced,
    /** A person of the configuration acknowledges a problem by a link, or a gateway for that person. */
    acknowledgeAs(problem: number, { key, name }: { readonly key: string; readonly name: string }) {
      const result = isOpen(problem, 'acknowledge') ? 'done' : 'already'
      const changes = actions.acknowledge(problem, name)
      if (changes !== undefined) record({ action: 'acknowledge', by: name, problem, result, via: 'link', person: key })
      return changes
    },
    /**
     * On one incident; `problem`: its number, which is acknowledged when no incident has the id any more. `resolve` ends every
     * incident of the fingerprint; undefined: no incident has the id.
     */
    operator: {
      acknowledge: acknowledgeFrom('admin'),
      acknowledgeByLink: acknowledgeFrom('link'),
      resolve(id: string, by: string): readonly OncallChange[] | undefined {
        const problem = named({ incident: id })?.id
        const result = isOpen(problem, 'resolve') ? 'done' : 'already'
        const changes = incidents.resolve(id, by)
        if (changes !== undefined) record({ action: 'resolve', by, problem, incident: id, result })
        return changes
      },
    },
    actions: {
      ...actions,
      acknowledge,
      /** As `acknowledge`; nothing for a problem that does not fire. */
      acknowledgeFiring: (id: number, by: string): readonly OncallChange[] =>
        problems.numbered(id)?.state === 'firing' ? (acknowledge(id, by) ?? []) : [],
      resolve: ofProblem('resolve', actions.resolve),
      /** As `acknowledge`, and leaves pages, escalations and the incident as they are: a person can still take the problem. */
      acknowledgeOnly(id: number, by: string): void {
        const problem = problems.numbered(id)
        if (problem?.state !== 'firing') return
        const result = problem.ackedAt === null ? 'done' : 'already'
        problems.markAcknowledged(problem.fingerprint, withoutNul(by))
        if (result === 'done') actions.say({ id, word: 'acknowledged', by })
        record({ action: 'acknowledge', by, problem: id, result })
      },
    } satisfies ProblemActions & { acknowledgeOnly(id: number, by: string): void },
  }
}
