import { hash } from 'node:crypto'
import type { Cluster } from './cluster.ts'

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
