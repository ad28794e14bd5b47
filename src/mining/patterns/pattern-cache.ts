import type { Tokenizer } from '../tokens/tokenizer.ts'

interface CacheEntry<T> {
  readonly key: string
  readonly scope: number
  readonly value: T
  readonly next: CacheEntry<T> | undefined
}

/** Size of one generation in UTF-16 units of keys; two generations are kept. */
const MAX_UNITS = 2_000_000

/**
 * Cache from the key of a line (see `Tokenizer`) to its pattern, so that repeating lines skip the search. Two
 * generations: when the young one is full, it replaces the old one.
 */
export class PatternCache<T> {
  #young = new Map<number, CacheEntry<T>>()
  #old = new Map<number, CacheEntry<T>>()
  #units = 0

  get(tokenizer: Tokenizer, scope: number): T | undefined {
    const young = find(this.#young.get(tokenizer.keyHash), tokenizer, scope)
    if (young) return young.value
    const old = find(this.#old.get(tokenizer.keyHash), tokenizer, scope)
    if (old) this.#add(tokenizer.keyHash, old.key, scope, old.value)
    return old?.value
  }

  set(tokenizer: Tokenizer, scope: number, value: T): void {
    this.#add(tokenizer.keyHash, tokenizer.keyText(), scope, value)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
    this.#units = 0
  }

  #add(hash: number, key: string, scope: number, value: T): void {
    this.#units += key.length + OVERHEAD
    if (this.#units > MAX_UNITS) {
      this.#old = this.#young
      this.#young = new Map()
      this.#units = key.length + OVERHEAD
    }
    this.#young.set(hash, { key, scope, value, next: this.#young.get(hash) })
  }
}
const OVERHEAD = 64

function find<T>(first: CacheEntry<T> | undefined, tokenizer: Tokenizer, scope: number): CacheEntry<T> | undefined {
  for (let entry = first; entry; entry = entry.next)
    if (entry.scope === scope && matchesKey(tokenizer, entry.key)) return entry
  return undefined
}

function matchesKey(tokenizer: Tokenizer, key: string): boolean {
  const { key: units, keyLength } = tokenizer
  if (key.length !== keyLength) return false
  for (let i = 0; i < keyLength; i++) if (key.charCodeAt(i) !== units[i]) return false
  return true
}
