import type { Pattern } from '../contract.ts'

/** Ticks that are remembered. */
const KEPT = 40

interface Seen {
  readonly count: number
  /** Lines of the last ticks, the latest last. */
  readonly lines: readonly number[]
}

/** How many lines each pattern had in the last ticks, for a look at it beside its baseline; forgotten at a restart. */
export class RecentCounts {
  #seen = new Map<string, Seen>()
  #first = true

  /** To be called once a tick, with all patterns; those that are not among them are forgotten. */
  record(patterns: readonly Pick<Pattern, 'id' | 'count'>[]): void {
    this.#seen = new Map(patterns.map(({ id, count }) => [id, this.#with(id, count)]))
    this.#first = false
  }

  /** At most 40; empty for a pattern that no tick has closed on. */
  of(id: string): readonly number[] {
    return this.#seen.get(id)?.lines ?? []
  }

  /** Of what was there before the first tick nobody knows how much of it that tick brought. */
  #with(id: string, count: number): Seen {
    const before = this.#seen.get(id)
    if (before === undefined) return { count, lines: this.#first ? [] : [count] }
    return { count, lines: [...before.lines.slice(1 - KEPT), Math.max(0, count - before.count)] }
  }
}
