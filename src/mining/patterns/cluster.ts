import type { Template } from './template.ts'

/**
 * A pattern in the miner. `alive` until it is merged into an older one (`mergedInto`), evicted or forgotten. `R` is the
 * state that the miner's owner keeps with it.
 */
export interface Cluster<R> {
  readonly id: string
  readonly source: string
  /** Number in order of creation. When patterns are merged, the oldest survives. */
  readonly born: number
  readonly state: R
  template: Template
  /** Number of words of the template beside its header. */
  wordCount: number
  alive: boolean
  mergedInto: Cluster<R> | undefined
  /** Number of lines matched, including those of patterns merged into it. */
  lines: number
  /** Number of the last line it matched. */
  lastLine: number
  /** Labelled by an operator; evicted last. */
  pinned: boolean
  /** Shapes (hashes of separators and values, see `Tokenizer`) of lines that its template already covers. */
  readonly shapes: number[]
  /** Ids of patterns merged into it; it can be found by them. */
  readonly aliases: string[]
}

/** Returns the pattern that this one was merged into, or itself. Compresses the path (union-find). */
export function survivorOf<R>(cluster: Cluster<R>): Cluster<R> {
  let survivor = cluster
  while (survivor.mergedInto) survivor = survivor.mergedInto
  for (let each = cluster; each.mergedInto && each.mergedInto !== survivor; ) {
    const next = each.mergedInto
    each.mergedInto = survivor
    each = next
  }
  return survivor
}

/** A pattern with at most this many lines counts as a newcomer. */
const MAX_NEWCOMER_LINES = 2
/** Share of all patterns reserved for newcomers, so that neither they nor older patterns displace the others. */
const NEWCOMER_SHARE = 0.2
/** Share of all patterns evicted at once. */
const EVICTED_SHARE = 1 / 16

/**
 * Selects the patterns to evict when there are more than `max`: least recently seen first. Newcomers go first when they
 * exceed their share, patterns labelled by an operator last.
 */
export function evictable<R>(clusters: Iterable<Cluster<R>>, max: number): Cluster<R>[] {
  const all = [...clusters]
  const newcomers = all.filter(({ lines, pinned }) => lines <= MAX_NEWCOMER_LINES && !pinned).length
  const crowded = newcomers > max * NEWCOMER_SHARE
  const rank = ({ lines, pinned }: Cluster<R>) => (pinned ? 2 : crowded && lines <= MAX_NEWCOMER_LINES ? 0 : 1)
  return all.sort((a, b) => rank(a) - rank(b) || a.lastLine - b.lastLine).slice(0, Math.ceil(max * EVICTED_SHARE))
}
