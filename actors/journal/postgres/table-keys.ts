import { CodedError } from '../../../src/domain/errors.ts'
import type { KeyedRequest } from '../../../src/domain/frame.ts'
import type { Keys, LookedUp } from '../keys.ts'

interface TableKeysDeps<C> {
  /** Returns ids by key; throws `storage_down`, `storage_full`. */
  lookUp(keys: readonly string[]): ReadonlyMap<string, string>
  keysOf(commit: C): readonly string[]
}

/**
 * Keys that replicas share: they are in a table from the transaction on that commits their incidents. They are looked up
 * at once; one that another replica uses between the lookup and the append makes the append throw.
 */
export class TableKeys<C> implements Keys<C> {
  readonly #deps: TableKeysDeps<C>
  /** Keys of the last append: two requests of one append may have the same. */
  readonly #claimed = new Map<string, string>()
  #waiting: readonly { readonly commit: C; readonly keys: readonly string[] }[] = []
  #lookedUp: readonly LookedUp<C>[] = []

  constructor(deps: TableKeysDeps<C>) {
    this.#deps = deps
  }

  add(commits: readonly C[]): void {
    this.#waiting = [...this.#waiting, ...commits.map((commit) => ({ commit, keys: this.#deps.keysOf(commit) }))]
  }

  ask(): readonly C[] {
    const waiting = this.#waiting
    if (waiting.length === 0) return []
    this.#waiting = []
    const commits = waiting.map(({ commit }) => commit)
    try {
      const known = this.#deps.lookUp([...new Set(waiting.flatMap(({ keys }) => keys))])
      this.#lookedUp = [...this.#lookedUp, ...commits.map((commit) => ({ commit, known }))]
      return []
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return commits
    }
  }

  found(): readonly C[] {
    return []
  }

  giveBack(): readonly C[] {
    return []
  }

  takeLookedUp(): readonly LookedUp<C>[] {
    const taken = this.#lookedUp
    this.#lookedUp = []
    return taken
  }

  find(key: string): string | undefined {
    return this.#claimed.get(key)
  }

  claim({ key, id }: KeyedRequest): void {
    this.#claimed.set(key, id)
  }

  forget(): void {
    this.#claimed.clear()
  }
}
