import type { TrackedPattern } from '../patterns/pattern-state.ts'
import { excludeBurst } from './baseline.ts'
import { isBurst, isUnusual, type Sensitivity } from './burst.ts'
import type { Tick } from './episode.ts'

/** From this many patterns on a source can be louder as a whole: then it is reading that caught up, not one of them that bursts. */
const MIN_PATTERNS = 8
const SURGING_SHARE = 0.6
const SETTLED_TICKS = 20
const FREQUENT_MEAN = 0.5

/** Sources that are louder as a whole. */
export class SourceSurges {
  readonly #sinceMs = new Map<string, number>()

  /** The sources that surge in this tick, which is kept from what is usual unless the surge has lasted so long that it is. */
  of(touched: readonly TrackedPattern[], { atMs, renotifyMs }: Tick): ReadonlySet<string> {
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
  const often = clusters.filter(({ state: { verdict, baseline } }) => {
    return verdict === 'known' && baseline.ticks >= SETTLED_TICKS && baseline.mean >= FREQUENT_MEAN
  })
  const loud = often.filter(({ state }) => isUnusual(state.baseline))
  return often.length >= MIN_PATTERNS && loud.length >= SURGING_SHARE * often.length
}

/** Whether a known pattern bursts in this tick; what belongs to a burst is kept from the baseline, unless it has lasted so long that it is normal. */
export function isSpike({ state, lines }: TrackedPattern, sensitivity: Sensitivity, tick: Tick): boolean {
  const { baseline, episodes, settlesAtMs } = state
  if (tick.atMs < settlesAtMs) return false
  const episode = episodes.spike
  const recent = episode !== undefined && tick.atMs - episode.lastAtMs < LINGERING_MS
  const burst = isBurst(baseline, lines, sensitivity) || (recent && isUnusual(baseline))
  const lasting = episode !== undefined && tick.atMs - episode.openedAtMs >= tick.renotifyMs
  if (burst && !lasting) excludeBurst(baseline)
  return burst
}
const LINGERING_MS = 300_000
