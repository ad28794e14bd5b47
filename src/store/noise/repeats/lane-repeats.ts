import type { Counts, LaneRepeats } from '../../engine/counts.ts'

const NONE: LaneRepeats = { untold: 0, dueAt: Infinity, notBefore: 0 }

/** Changes what memory knows of the repeats of a destination. */
export function changeRepeats(counts: Pick<Counts, 'repeats'>, code: number, changes: Partial<LaneRepeats>): void {
  counts.repeats.set(code, { ...(counts.repeats.get(code) ?? NONE), ...changes })
}

/** Counts places that became untold, or are told. */
export function countUntold(counts: Pick<Counts, 'repeats'>, code: number, places: number): void {
  changeRepeats(counts, code, { untold: (counts.repeats.get(code)?.untold ?? 0) + places })
}
