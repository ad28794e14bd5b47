import type { KeyedRequest } from '../../src/domain/frame.ts'
import type { Found } from '../messages/journal-storage.ts'

export interface LookedUp<C> {
  readonly commit: C
  /** Ids of the first incidents by the keys that were used within 24 h, as far as `find` does not know them. */
  readonly known: ReadonlyMap<string, string>
}

/** Decides which idempotency keys were used. Commits with keys wait here while theirs are looked up. */
export interface Keys<C> {
  /** Throws when one of the frames cannot be read; then none of them waits. */
  add(commits: readonly C[]): void
  /** Looks up the keys of all commits that wait, or begins to. Returns those to refuse: theirs cannot be looked up. */
  ask(): readonly C[]
  /** Takes the answer of storage. Returns the commits to refuse: storage could not look. */
  found(found: Pick<Found, 'lookup' | 'ids'>): readonly C[]
  /** Storage is lost. Returns the commits that waited for it, to be refused. */
  giveBack(): readonly C[]
  takeLookedUp(): readonly LookedUp<C>[]
  /** Returns the id of the incident that has claimed the key since its lookup began. */
  find(key: string): string | undefined
  /** Claims the key of a request that is durable. */
  claim(request: KeyedRequest): void
  /** Forgets keys that the next lookup finds: those of incidents up to `applied`, or all. */
  forget(applied: number): void
}
