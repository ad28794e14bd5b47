import type { AnswerAction } from '../../domain/answer.ts'
import { isTaken } from '../../policy/repeat.ts'
import type { SilenceSettings } from '../../policy/silences/settings.ts'
import { withoutNul } from '../engine/statement.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Acknowledgement } from '../ports/operator.ts'
import { openNamedProblem } from '../problems/queries/named.ts'
import type { AnswerParts } from './parts.ts'
import type { AnswerRow } from './rows.ts'

const MINUTE_MS = 60_000

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
export function openCommands(parts: AnswerParts) {
  const { now, problems, rows, incidents, actions, copies } = parts
  const named = openNamedProblem(parts)

  /** Else an order that can be carried out changes nothing. */
  function isOpen(number: number | undefined, action: 'acknowledge' | 'resolve'): boolean {
    const problem = problems.numbered(number ?? 0)
    if (problem?.state !== 'firing') return false
    return action === 'resolve' || !isTaken(problem) || incidents.asksAgain(problem.id)
  }

  function record({ action, by, problem, incident, silence, minutes, result, via = 'admin', person }: Command): void {
    const none = { minutes: minutes ?? null, person: person ?? null, digest: null, next_place: null, through: null }
    const found = problem ?? null
    const from = { via, actor: by, actor_id: '', place: '', at: now(), action, result }
    rows.add({ ...none, ...from, problem: found, incident: incident ?? null, silence: silence ?? null })
    if (result === 'done' && found !== null) copies.changed(problems.numbered(found))
  }

  /** Carries an order out, and records it unless `change` returns undefined: there is nothing to change. */
  function ordered<T>(
    { problem, ...order }: Omit<Command, 'action' | 'result'> & { readonly action: 'acknowledge' | 'resolve' },
    change: () => T | undefined,
  ): T | undefined {
    const result = isOpen(problem, order.action) ? 'done' : 'already'
    const changed = change()
    if (changed !== undefined) record({ ...order, problem, result })
    return changed
  }

  const acknowledgeFrom =
    (via: 'link' | 'admin') =>
    (id: string, by: string, problem?: number): Acknowledgement => {
      const about = problem ?? named({ incident: id })?.id
      const done = ordered({ action: 'acknowledge', by, problem: about, incident: id, via }, () => {
        const acknowledged = incidents.acknowledge(id, by, problem)
        return acknowledged.kind === 'unknown' ? undefined : acknowledged
      })
      return done ?? { kind: 'unknown' }
    }

  const ofProblem =
    (action: 'acknowledge' | 'resolve') =>
    (problem: number, by: string): readonly OncallChange[] | undefined =>
      ordered({ action, by, problem }, () => actions[action](problem, by))

  /** Of a silence of one problem that an operator made or changed. `by`: present when it was ended. */
  function silenced(silence: number, { problem, untilResolved, endsAt, owner }: SilenceSettings, by?: string): void {
    if (problem === undefined) return
    const about = { problem: problem.id, silence, result: 'done' } as const
    if (by !== undefined) record({ action: 'end_silence', by, ...about })
    else if (untilResolved) record({ action: 'silence_until_resolved', by: owner, ...about })
    else {
      const minutes = Math.max(1, Math.round((endsAt - now()) / MINUTE_MS))
      record({ action: 'silence', by: owner, minutes, ...about })
    }
  }

  const acknowledge = ofProblem('acknowledge')
  return {
    silenced,
    /** A person of the configuration acknowledges a problem by a link, or a gateway for that person. */
    acknowledgeAs: (problem: number, { key: person, name: by }: { readonly key: string; readonly name: string }) =>
      ordered({ action: 'acknowledge', by, problem, via: 'link', person }, () => actions.acknowledge(problem, by)),
    /**
     * On one incident; `problem`: its number, which is acknowledged when no incident has the id any more. `resolve` ends every
     * incident of the fingerprint; undefined: no incident has the id.
     */
    operator: {
      acknowledge: acknowledgeFrom('admin'),
      acknowledgeByLink: acknowledgeFrom('link'),
      resolve: (id: string, by: string): readonly OncallChange[] | undefined =>
        ordered({ action: 'resolve', by, problem: named({ incident: id })?.id, incident: id }, () =>
          incidents.resolve(id, by),
        ),
    },
    actions: {
      ...actions,
      acknowledge,
      /** As `acknowledge`; nothing for a problem that does not fire. */
      acknowledgeFiring: (id: number, by: string): readonly OncallChange[] =>
        problems.numbered(id)?.state === 'firing' ? (acknowledge(id, by) ?? []) : [],
      resolve: ofProblem('resolve'),
      /** As `acknowledge`, and leaves pages, escalations and the incident as they are: a person can still take the problem. */
      acknowledgeOnly(id: number, by: string): void {
        const problem = problems.numbered(id)
        if (problem?.state !== 'firing') return
        const result = problem.ackedAt === null ? 'done' : 'already'
        problems.markAcknowledged(problem.fingerprint, withoutNul(by))
        if (result === 'done') actions.say({ id, word: 'acknowledged', by })
        record({ action: 'acknowledge', by, problem: id, result })
      },
    },
  }
}
