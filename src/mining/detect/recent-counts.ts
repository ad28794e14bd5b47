import type { Pattern } from '../contract.ts'

/** Ticks that are remembered. */
const MAX_TICKS = 40

interface Series {
  readonly count: number
  /** Lines of the last ticks, the latest last. */
  readonly lines: readonly number[]
}

/** How many lines each pattern had in the last ticks, for a look at it beside its baseline; forgotten at a restart. */
export class RecentCounts {
  #series = new Map<string, Series>()
  #isFirstTick = true

  /** To be called once a tick, with all patterns; those that are not among them are forgotten. */
  record(patterns: readonly Pick<Pattern, 'id' | 'count'>[]): void {
    this.#series = new Map(patterns.map(({ id, count }) => [id, this.#extend(id, count)]))
    this.#isFirstTick = false
  }

  /** At most 40; empty for a pattern that no tick has closed on. */
  of(id: string): readonly number[] {
    return this.#series.get(id)?.lines ?? []
  }

  /** Of what was there before the first tick nobody knows how much of it that tick brought. */
  #extend(id: string, count: number): Series {
    const before = this.#series.get(id)
    if (before === undefined) return { count, lines: this.#isFirstTick ? [] : [count] }
    return { count, lines: [...before.lines.slice(1 - MAX_TICKS), Math.max(0, count - before.count)] }
  }
}
