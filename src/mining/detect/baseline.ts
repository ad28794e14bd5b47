/** How many lines of a pattern a tick has when all is well: moments over the ticks, those without a line included. */
export interface Baseline {
  /** Ticks that have been folded in. */
  ticks: number
  mean: number
  /** Mean of the squared counts. */
  square: number
  /** Largest count, fading slowly. */
  peak: number
  /** Counts of the last ticks, newest first: judged before they are folded in. `HELD` stands for one that belongs to a burst. */
  recent: number[]
}

/** Ticks that are judged before they count as normal. */
export const JUDGED_TICKS = 8
export const EXCLUDED = -1
/** Weight of a tick once there are more than its reciprocal; before that all weigh the same. */
const WEIGHT = 0.03
const YOUNG_TICKS = Math.floor(1 / WEIGHT)
/** Halves a peak in about a week of half minutes. */
const PEAK_DECAY = 1 - 1 / 30_000

export const newBaseline = (): Baseline => ({ ticks: 0, mean: 0, square: 0, peak: 0, recent: [] })

/** How many equal ticks the moments are worth. */
export function effectiveTicks({ ticks }: Baseline): number {
  return Math.max(1, Math.min(ticks, 2 * YOUNG_TICKS))
}

/** Lets `ticks` ticks begin: what leaves the judged ones is folded in. */
export function advance(baseline: Baseline, ticks: number): void {
  const { recent } = baseline
  for (let i = 0; i < Math.min(ticks, JUDGED_TICKS); i++) {
    recent.unshift(0)
    if (recent.length > JUDGED_TICKS) fold(baseline, recent.pop() ?? EXCLUDED)
  }
  if (ticks > JUDGED_TICKS) foldSilence(baseline, ticks - JUDGED_TICKS)
}

/** Keeps the last tick, and what led up to it, out of the baseline. */
export function excludeBurst(baseline: Baseline): void {
  const { recent, mean } = baseline
  recent.forEach((count, i) => {
    if (i === 0 || count > mean) recent[i] = EXCLUDED
  })
}

/** Baseline of two patterns that are counted as one from now on, both advanced to the same tick. */
export function addBaseline(to: Baseline, other: Baseline): void {
  to.square += other.square + 2 * to.mean * other.mean
  to.mean += other.mean
  to.peak += other.peak
  to.ticks = Math.max(to.ticks, other.ticks)
  const length = Math.max(to.recent.length, other.recent.length)
  to.recent = Array.from({ length }, (_, i) => addCounts(to.recent[i] ?? 0, other.recent[i] ?? 0))
}

const addCounts = (a: number, b: number) => (a === EXCLUDED || b === EXCLUDED ? EXCLUDED : a + b)

function fold(baseline: Baseline, count: number): void {
  if (count === EXCLUDED) return
  const weight = Math.max(1 / (baseline.ticks + 1), WEIGHT)
  baseline.ticks++
  baseline.mean += weight * (count - baseline.mean)
  baseline.square += weight * (count * count - baseline.square)
  baseline.peak = Math.max(count, baseline.peak * PEAK_DECAY)
}

/** The same as folding in `ticks` zeros one by one. */
function foldSilence(baseline: Baseline, ticks: number): void {
  const young = Math.min(Math.max(0, YOUNG_TICKS - baseline.ticks), ticks)
  const kept = (baseline.ticks > 0 ? baseline.ticks / (baseline.ticks + young) : 1) * (1 - WEIGHT) ** (ticks - young)
  baseline.ticks += ticks
  baseline.mean *= kept
  baseline.square *= kept
  baseline.peak *= PEAK_DECAY ** ticks
}
