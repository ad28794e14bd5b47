import type { TrackedPattern } from '../patterns/pattern-state.ts'
import { excludeBurst } from './baseline.ts'
import { isUnusual } from './burst.ts'
import type { Tick } from './episode.ts'

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
