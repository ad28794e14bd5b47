import type { Copies } from '../../answers/copies.ts'
import { DESTINATION_CODE } from '../../engine/column-codes.ts'
import type { StoreParts } from '../../parts.ts'
import type { Telling } from '../../tellings/rows.ts'
import type { LiveSilence } from './live.ts'

/** Problems that fire on, of which the end of one silence tells in their threads, at most. */
const MAX_SAID = 64

/**
 * Opens what is said when the time of a silence is over while its problems fire on: what it held is sent, and the threads of
 * the others get a line. Of silences of one problem, and of those until resolved. Before its window closes, inside `write`.
 */
export function openOver({ tellings, causes, problems, followUps }: StoreParts, copies: Pick<Copies, 'changed'>) {
  return function over({ id, window, settings: { problem: own, untilResolved } }: LiveSilence): void {
    if (window === undefined) return
    const kept = untilResolved && own === undefined ? [...causes.of(id)].slice(-MAX_SAID).map(problems.numbered) : []
    for (const problem of own === undefined ? kept : [problems.find(own.fingerprint)]) {
      if (problem?.state !== 'firing') continue
      const isHeld = ({ silence, held, destination }: Telling) =>
        silence === id && held !== null && destination !== DESTINATION_CODE.oncall
      if (!tellings.all(problem.id).some(isHeld)) followUps.raiseOf(problem, { word: 'silence_over', by: '' })
      if (own !== undefined) copies.changed(problem)
    }
  }
}
