import type { TrackedPattern } from '../patterns/pattern-state.ts'
import { type Baseline, EXCLUDED, effectiveTicks, excludeBurst } from './baseline.ts'
import type { Tick } from './episode.ts'
import { upperTailProbability } from './negative-binomial.ts'

interface Sensitivity {
  readonly spikeZ: number
  readonly spikeMinFrequency: number
  readonly spikeMinBaselineCount: number
}

/** Ticks summed up and judged together: a burst may be too low to be told from one of them. */
const SPANS = [1, 2, 3, 4]
/** A single tick must be this much above the largest normal count, several ticks together above it on average. */
const PEAK_FACTOR = 1.3
/** So much more probable may be what several ticks agree on, since all of them have to be above the peak on average. */
const SEVERAL_TICKS_FACTOR = 10
/** Tail probability that `spike_z: 3` stands for; its logarithm goes with the square of z. */
const TAIL_AT_3 = 1e-7
/** Time after an episode's last burst in which an unusual count still belongs to it. */
const LINGERING_MS = 300_000
/** Tail probability under which a count is not normal, though it proves nothing alone. */
const UNUSUAL = 1e-3

/** Whether a known pattern bursts in this tick; what belongs to a burst is kept from the baseline, unless it has lasted so long that it is normal. */
export function isSpike({ state, lines }: TrackedPattern, sensitivity: Sensitivity, tick: Tick): boolean {
  const { baseline, episodes, burstsFromMs } = state
  if (tick.atMs < burstsFromMs) return false
  const episode = episodes.spike
  const recent = episode !== undefined && tick.atMs - episode.lastAtMs < LINGERING_MS
  const burst = isBurst(baseline, lines, sensitivity) || (recent && isUnusual(baseline))
  const lasting = episode !== undefined && tick.atMs - episode.openedAtMs >= tick.renotifyMs
  if (burst && !lasting) excludeBurst(baseline)
  return burst
}

/** Whether the last tick, or the last few together, are no chance: `lines` is how many lines the pattern has had in all. */
function isBurst(baseline: Baseline, lines: number, sensitivity: Sensitivity): boolean {
  const [newest = 0] = baseline.recent
  if (newest < sensitivity.spikeMinFrequency || lines < sensitivity.spikeMinBaselineCount) return false
  const limit = TAIL_AT_3 ** ((sensitivity.spikeZ / 3) ** 2)
  return SPANS.some((span) => {
    const counts = baseline.recent.slice(0, span)
    if (counts.length < span || counts.includes(EXCLUDED)) return false
    const sum = counts.reduce((all, count) => all + count, 0)
    if (span === 1) return sum > baseline.peak * PEAK_FACTOR && tailProbability(baseline, sum, 1) < limit
    return sum > span * baseline.peak && tailProbability(baseline, sum, span) < limit * SEVERAL_TICKS_FACTOR
  })
}

/** Whether the last tick is above what was normal: enough for a burst to go on. */
export function isUnusual(baseline: Baseline): boolean {
  const [newest = 0] = baseline.recent
  return newest > baseline.peak && tailProbability(baseline, newest, 1) < UNUSUAL
}

/** Probability of so many lines in `span` ticks, the doubt about the mean included in the variance. */
function tailProbability(baseline: Baseline, sum: number, span: number): number {
  const ticks = effectiveTicks(baseline)
  const mean = Math.max(baseline.mean, 0.5 / ticks)
  const variance = Math.max(mean, baseline.square - baseline.mean ** 2)
  return upperTailProbability(sum, span * mean, span * variance + (span * span * mean) / ticks)
}
