import type { Pattern } from '../contract.ts'

/** Number of ticks kept. */
const MAX_TICKS = 40

interface Series {
  readonly count: number
  /** Number of lines in each of the last ticks, newest last. */
  readonly lines: readonly number[]
}

/** Number of lines of each pattern in each of the last 40 ticks, for the dashboard. Kept in memory only. */
export class RecentCounts {
  #series = new Map<string, Series>()
  #isFirstTick = true

  /** Records a tick. Called once per tick with all patterns; others are forgotten. */
  record(patterns: readonly Pick<Pattern, 'id' | 'count'>[]): void {
    this.#series = new Map(patterns.map(({ id, count }) => [id, this.#extend(id, count)]))
    this.#isFirstTick = false
  }

  /** Returns at most 40 counts, newest last; none for a pattern without a recorded tick. */
  of(id: string): readonly number[] {
    return this.#series.get(id)?.lines ?? []
  }

  /** The lines of the first tick are unknown for patterns that existed before it. */
  #extend(id: string, count: number): Series {
    const before = this.#series.get(id)
    if (before === undefined) return { count, lines: this.#isFirstTick ? [] : [count] }
    return { count, lines: [...before.lines.slice(1 - MAX_TICKS), Math.max(0, count - before.count)] }
  }
}
