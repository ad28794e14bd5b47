import type { DetectorOptions } from '../options.ts'
import type { TrackedPattern } from '../patterns/pattern-state.ts'
import { type Baseline, EXCLUDED, effectiveTicks, excludeBurst } from './baseline.ts'
import type { Tick } from './episode.ts'
import { upperTailProbability } from './negative-binomial.ts'

type Sensitivity = Pick<DetectorOptions['catalog'], 'spikeZ' | 'spikeMinFrequency' | 'spikeMinBaselineCount'>

/**
 * Numbers of recent ticks that are summed and tested together: several ticks reveal a burst that is too low in each.
 */
const SPANS = [1, 2, 3, 4]
/** A single tick must exceed the peak by this factor; several ticks must exceed it on average. */
const PEAK_FACTOR = 1.3
/** Factor on the probability limit for several ticks; larger because they must exceed the peak on average. */
const SEVERAL_TICKS_FACTOR = 10
/** Probability limit of `spike_z: 3`. Its logarithm grows with the square of z. */
const TAIL_AT_3 = 1e-7
/** Time after an episode's last burst in which an unusual count still belongs to it. */
const LINGERING_MS = 300_000
/** Probability limit of an unusual count: not enough to open an episode, enough to continue one. */
const UNUSUAL = 1e-3

/**
 * Returns whether a known pattern bursts in this tick, and excludes the burst from its baseline. An episode older than
 * `renotifyMs` is no longer excluded: the new rate becomes normal.
 */
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

/**
 * Returns whether the count of the last tick, or of the last few ticks, is improbable under the baseline.
 * @param lines of the pattern in all
 */
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

/** Returns whether the last tick is above the peak and improbable at a weak limit. */
function isUnusual(baseline: Baseline): boolean {
  const [newest = 0] = baseline.recent
  return newest > baseline.peak && tailProbability(baseline, newest, 1) < UNUSUAL
}

/** Probability of at least `sum` lines in `span` ticks. The variance includes the uncertainty of the mean. */
function tailProbability(baseline: Baseline, sum: number, span: number): number {
  const ticks = effectiveTicks(baseline)
  const mean = Math.max(baseline.mean, 0.5 / ticks)
  const variance = Math.max(mean, baseline.square - baseline.mean ** 2)
  return upperTailProbability(sum, span * mean, span * variance + (span * span * mean) / ticks)
}

/** A source with fewer frequent patterns than this never surges. */
const MIN_PATTERNS = 8
const SURGING_SHARE = 0.6
const SETTLED_TICKS = 20
const FREQUENT_MEAN = 0.5

/**
 * Sources in which most patterns are above their baselines at once: the source is read late or its load rises, and no
 * single pattern bursts.
 */
export class SourceSurges {
  readonly #sinceMs = new Map<string, number>()

  /**
   * Returns the sources that surge in this tick. Excludes the tick from their baselines until the surge is older than
   * `renotifyMs`.
   */
  update(touched: readonly TrackedPattern[], { atMs, renotifyMs }: Tick): ReadonlySet<string> {
    const bySource = Map.groupBy(touched, ({ source }) => source)
    for (const source of this.#sinceMs.keys()) if (!bySource.has(source)) this.#sinceMs.delete(source)
    for (const [source, clusters] of bySource) {
      if (!isSurge(clusters)) this.#sinceMs.delete(source)
      else if (!this.#sinceMs.has(source)) this.#sinceMs.set(source, atMs)
      const sinceMs = this.#sinceMs.get(source)
      if (sinceMs !== undefined && atMs - sinceMs < renotifyMs) {
        for (const { state } of clusters) excludeBurst(state.baseline)
      }
    }
    return new Set(this.#sinceMs.keys())
  }
}

function isSurge(clusters: readonly TrackedPattern[]): boolean {
  const frequent = clusters.filter(({ state: { verdict, baseline } }) => {
    return verdict === 'known' && baseline.ticks >= SETTLED_TICKS && baseline.mean >= FREQUENT_MEAN
  })
  const unusual = frequent.filter(({ state }) => isUnusual(state.baseline))
  return frequent.length >= MIN_PATTERNS && unusual.length >= SURGING_SHARE * frequent.length
}
