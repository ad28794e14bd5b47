import { type Event, type System, templateOf } from './event.ts'
import type { Random } from './random.ts'

/** An event that does not occur in training. */
export interface Novelty {
  readonly difficulty: 'near' | 'far' | 'foreign'
  readonly event: Event
  /** The system that the event is of: another one for a foreign event. */
  readonly from: System
  /** Id and template of its first line that no other event has. */
  readonly id: string
  readonly template: string
}

/**
 * Counts of novelties: `near` ones differ from another event of the system in at most two words, `far` ones in more;
 * `foreign` ones are errors of another system under a header of this one.
 */
export interface NovelCounts {
  readonly near: number
  readonly far: number
  readonly foreign: number
}

const NEAR_WORDS = 2

/** Chooses events that training leaves out. Fewer than wanted when the system has no more of a kind. */
export function noveltiesOf(system: System, all: readonly System[], wanted: NovelCounts, random: Random): Novelty[] {
  const own = random.shuffled(system.events.filter(({ fault }) => fault)).flatMap((event) => noveltyOf(system, event))
  const foreign = random
    .shuffled(all.filter((other) => other !== system).flatMap((from) => from.events.map((event) => ({ from, event }))))
    .filter(({ event }) => event.fault && event.chain.length === 0)
    .map(
      ({ from, event }): Novelty => ({
        ...{ difficulty: 'foreign', from, event, id: event.id, template: templateOf(event.text) },
      }),
    )
  const of = (difficulty: string) => own.filter((novelty) => novelty.difficulty === difficulty)
  return [...of('near').slice(0, wanted.near), ...of('far').slice(0, wanted.far), ...foreign.slice(0, wanted.foreign)]
}

function noveltyOf(system: System, event: Event): Novelty[] {
  const others = system.events.filter((other) => other !== event).flatMap((other) => [other, ...other.chain])
  const form = [event, ...event.chain].find(({ id }) => !others.some((other) => other.id === id))
  if (!form) return []
  const template = templateOf(form.text)
  const near = others.some(({ text }) => differingWords(template, templateOf(text)) <= NEAR_WORDS)
  return [{ difficulty: near ? 'near' : 'far', event, from: system, id: form.id, template }]
}

/** Returns how many words differ; infinite for templates of different lengths. */
function differingWords(one: string, other: string): number {
  const [ones, others] = [one.split(/\s+/), other.split(/\s+/)]
  if (ones.length !== others.length) return Number.POSITIVE_INFINITY
  return ones.filter((word, at) => word !== others[at]).length
}
