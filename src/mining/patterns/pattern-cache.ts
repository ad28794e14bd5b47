import type { Scan } from '../tokens/token-scanner.ts'

interface Entry<T> {
  readonly key: string
  readonly scope: number
  readonly value: T
  readonly next: Entry<T> | undefined
}

/** Units of keys in one generation; the generation before it is kept as well. */
const MAX_UNITS = 2_000_000

/** What the keys of recent lines led to: the lines that repeat find their pattern here. Two generations, the older one forgotten whole. */
export class Recall<T> {
  #young = new Map<number, Entry<T>>()
  #old = new Map<number, Entry<T>>()
  #units = 0

  get(scan: Scan, scope: number): T | undefined {
    const young = find(this.#young.get(scan.keyHash), scan, scope)
    if (young) return young.value
    const old = find(this.#old.get(scan.keyHash), scan, scope)
    if (old) this.#keep(scan.keyHash, old.key, scope, old.value)
    return old?.value
  }

  set(scan: Scan, scope: number, value: T): void {
    this.#keep(scan.keyHash, scan.keyText(), scope, value)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
    this.#units = 0
  }

  #keep(hash: number, key: string, scope: number, value: T): void {
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

function find<T>(first: Entry<T> | undefined, scan: Scan, scope: number): Entry<T> | undefined {
  for (let entry = first; entry; entry = entry.next) if (entry.scope === scope && spells(scan, entry.key)) return entry
  return undefined
}

function spells(scan: Scan, key: string): boolean {
  const { key: units, keyLength } = scan
  if (key.length !== keyLength) return false
  for (let i = 0; i < keyLength; i++) if (key.charCodeAt(i) !== units[i]) return false
  return true
}
