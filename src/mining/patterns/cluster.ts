import { hash } from 'node:crypto'
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

const ID_LENGTH = 14
const MAX_ALIASES = 64

/** Patterns by their ids and by the ids of patterns merged into them. */
export class ClusterIds<R> {
  readonly #clusters = new Map<string, Cluster<R>>()

  has(id: string): boolean {
    return this.#clusters.has(id)
  }

  /** Returns the pattern that was registered under an id; it may have been merged into another one since. */
  get(id: string): Cluster<R> | undefined {
    return this.#clusters.get(id)
  }

  /** Returns an unused id derived from source and template, so that it is the same in another run. */
  create(source: string, template: string): string {
    for (let attempt = 0; ; attempt++) {
      const id = hash('sha256', [source, template, attempt].join('\0')).slice(0, ID_LENGTH)
      if (!this.has(id)) return id
    }
  }

  add(cluster: Cluster<R>): void {
    this.#clusters.set(cluster.id, cluster)
  }

  /** Adds an id of a merged pattern to the survivor. Above 64 the oldest is forgotten. */
  addAlias(survivor: Cluster<R>, id: string, merged: Cluster<R>): void {
    survivor.aliases.push(id)
    this.#clusters.set(id, merged)
    if (survivor.aliases.length > MAX_ALIASES) this.#clusters.delete(survivor.aliases.shift() ?? '')
  }

  /** Removes a pattern's id and aliases. */
  remove({ id, aliases }: Cluster<R>): void {
    for (const each of [id, ...aliases]) this.#clusters.delete(each)
  }
}
