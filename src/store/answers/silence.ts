import type { Answer, Answered } from '../../domain/answer.ts'
import type { Problem } from '../../policy/problem.ts'
import { ofProblem } from '../../policy/silences/of-problem.ts'
import type { SilenceSettings } from '../../policy/silences/settings.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { AnswerParts } from './parts.ts'

const MINUTE_MS = 60_000

/** What became of the silence; undefined: there is one that ends later already, or none to end. */
interface Silenced {
  readonly silence: NonNullable<Answered['silence']>
  readonly oncall: readonly OncallChange[]
}

/** Opens the silences of exactly one problem that presses make, one a problem. Inside `write`. */
export function openSilenceByPress({ now, pressed, actions: { say } }: AnswerParts) {
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
    begin(answer: Answer, problem: Problem): Silenced | undefined {
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
    end({ actor: by }: Answer, { id }: Problem): Silenced | undefined {
      const live = pressed.find(id)
      if (live === undefined) return undefined
      say({ id, word: 'silence_ended', by })
      return { silence: live.id, oncall: pressed.end(live.id, by) }
    },
  }
}
