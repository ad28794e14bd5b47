/**
 * Usual number of lines of a pattern per tick: exponentially weighted moments over all ticks, including those without a
 * line.
 */
export interface Baseline {
  /** Number of ticks in the moments. */
  ticks: number
  mean: number
  /** Mean of the squared counts. */
  square: number
  /** Largest count, decaying slowly. */
  peak: number
  /**
   * Counts of the last `JUDGED_TICKS` ticks, newest first. They enter the moments when they leave this list, unless
   * they are `EXCLUDED`, which marks the ticks of a burst.
   */
  recent: number[]
}

/** Number of ticks that are tested for bursts before they enter the moments. */
export const JUDGED_TICKS = 8
export const EXCLUDED = -1
/** Weight of a new tick. The first `YOUNG_TICKS` ticks have equal weights instead. */
const WEIGHT = 0.03
const YOUNG_TICKS = Math.floor(1 / WEIGHT)
/** Decay of the peak per tick: half in about a week with ticks of 30 s. */
const PEAK_DECAY = 1 - 1 / 30_000

export const newBaseline = (): Baseline => ({ ticks: 0, mean: 0, square: 0, peak: 0, recent: [] })

/** Returns the number of equally weighted ticks that would estimate the moments as well. */
export function effectiveTicks({ ticks }: Baseline): number {
  return Math.max(1, Math.min(ticks, 2 * YOUNG_TICKS))
}

/** Begins `ticks` new ticks with zero lines. Counts that leave `recent` enter the moments. */
export function advance(baseline: Baseline, ticks: number): void {
  const { recent } = baseline
  for (let i = 0; i < Math.min(ticks, JUDGED_TICKS); i++) {
    recent.unshift(0)
    if (recent.length > JUDGED_TICKS) fold(baseline, recent.pop() ?? EXCLUDED)
  }
  if (ticks > JUDGED_TICKS) foldSilence(baseline, ticks - JUDGED_TICKS)
}

/** Excludes the newest tick, and recent ticks above the mean, from the moments. */
export function excludeBurst(baseline: Baseline): void {
  const { recent, mean } = baseline
  recent.forEach((count, i) => {
    if (i === 0 || count > mean) recent[i] = EXCLUDED
  })
}

/** Adds the baseline of a merged pattern. Both must be at the same tick. */
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

/** Adds `ticks` ticks without lines at once. */
function foldSilence(baseline: Baseline, ticks: number): void {
  const young = Math.min(Math.max(0, YOUNG_TICKS - baseline.ticks), ticks)
  const kept = (baseline.ticks > 0 ? baseline.ticks / (baseline.ticks + young) : 1) * (1 - WEIGHT) ** (ticks - young)
  baseline.ticks += ticks
  baseline.mean *= kept
  baseline.square *= kept
  baseline.peak *= PEAK_DECAY ** ticks
}
