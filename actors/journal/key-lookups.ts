import type { KeyedRequest } from '../../src/domain/frame.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Found, Lookup } from '../messages/journal-storage.ts'
import type { Keys, LookedUp } from './keys.ts'

interface Waiting<C> {
  readonly commit: C
  readonly keys: readonly string[]
}

interface KeyLookupsDeps<C> {
  readonly storage: Ref<Lookup>
  /** Lookups are numbered from here: above all numbers of earlier threads. */
  readonly firstLookup: number
  /** Requests with keys that are in the journal and not released. */
  readonly unapplied: readonly KeyedRequest[]
  keysOf(commit: C): readonly string[]
}

/**
 * Decides which idempotency keys were used. Keys of incidents that are not applied are in memory, those of others in the
 * database. Commits with keys wait here while storage looks theirs up.
 *
 * - waiting: leaves to asked, together with all others that wait, when no lookup is under way
 * - asked: one lookup is under way; leaves to looked up, or is given back when storage is lost
 * - looked up: leaves with `takeLookedUp`
 */
export class KeyLookups<C> implements Keys<C> {
  readonly #deps: KeyLookupsDeps<C>
  /** In order of their numbers. */
  readonly #unapplied: Map<string, KeyedRequest>
  #waiting: Waiting<C>[] = []
  #asked: { readonly lookup: number; readonly commits: readonly C[]; readonly keys: readonly string[] } | undefined
  #lastLookup: number
  #lookedUp: LookedUp<C>[] = []

  constructor(deps: KeyLookupsDeps<C>) {
    this.#deps = deps
    this.#lastLookup = deps.firstLookup
    this.#unapplied = new Map(deps.unapplied.map((request) => [request.key, request]))
  }

  add(commits: readonly C[]): void {
    this.#waiting.push(...commits.map((commit) => ({ commit, keys: this.#deps.keysOf(commit) })))
  }

  /** Asks storage for the keys of all commits that wait, unless a lookup is under way. */
  ask(): readonly C[] {
    if (this.#asked !== undefined || this.#waiting.length === 0) return []
    const commits = this.#waiting.map(({ commit }) => commit)
    const keys = [...new Set(this.#waiting.flatMap(({ keys }) => keys))]
    const unknown = keys.filter((key) => !this.#unapplied.has(key))
    const lookup = this.#lastLookup + 1
    if (unknown.length > 0 && !this.#deps.storage.tell({ kind: 'lookup', lookup, keys: unknown })) return []
    this.#lastLookup = lookup
    this.#waiting = []
    if (unknown.length > 0) this.#asked = { lookup, commits, keys: unknown }
    else this.#lookedUp.push(...commits.map((commit) => ({ commit, known: NONE })))
    return []
  }

  /** Takes the answer to the lookup under way, and no other. Returns the commits to refuse: storage could not look. */
  found({ lookup, ids }: Pick<Found, 'lookup' | 'ids'>): readonly C[] {
    if (this.#asked?.lookup !== lookup) return []
    const { commits, keys } = this.#asked
    this.#asked = undefined
    if (ids === undefined) return commits
    const known = new Map(keys.flatMap((key, at) => (ids[at] ? [[key, ids[at]] as const] : [])))
    this.#lookedUp.push(...commits.map((commit) => ({ commit, known })))
    return []
  }

  giveBack(): readonly C[] {
    const commits = [...(this.#asked?.commits ?? []), ...this.#waiting.map(({ commit }) => commit)]
    this.#asked = undefined
    this.#waiting = []
    return commits
  }

  takeLookedUp(): readonly LookedUp<C>[] {
    const taken = this.#lookedUp
    this.#lookedUp = []
    return taken
  }

  /** Returns the id of the incident that claimed the key and is not applied. */
  find(key: string): string | undefined {
    return this.#unapplied.get(key)?.id
  }

  claim(request: KeyedRequest): void {
    // Behind all others, also when the key is an expired one that is used again.
    this.#unapplied.delete(request.key)
    this.#unapplied.set(request.key, request)
  }

  /**
   * Forgets keys that the database has: those of incidents up to `applied`. Not during a lookup, whose answer may be
   * older than that.
   */
  forget(applied: number): void {
    if (this.#asked !== undefined) return
    for (const { key, number } of this.#unapplied.values()) {
      if (number > applied) return
      this.#unapplied.delete(key)
    }
  }
}

const NONE: ReadonlyMap<string, string> = new Map()
