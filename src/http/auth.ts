import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** A configured secret. Compares digests, so that the time depends neither on the given text nor on its length. */
export class Secret {
  readonly #digest: Buffer

  constructor(value: string) {
    this.#digest = digest(value)
  }

  matches(given: string): boolean {
    return timingSafeEqual(this.#digest, digest(given))
  }
}

/** Returns undefined for '': no secret is configured. */
export const secretOf = (value: string): Secret | undefined => (value === '' ? undefined : new Secret(value))

/** Returns the token of an `Authorization: Bearer` header, '' without one. */
export const bearerOf = (header: string): string => /^bearer +(\S+)$/i.exec(header)?.[1] ?? ''

const MAX_FAILURES = 20
const WINDOW_SECONDS = 60
const SETS = 2_048
const WAYS = 8
const SEED_BYTES = 16

/**
 * Rate limit of wrong secrets per address: 20 within a minute block the address until the minute is over. Shared memory
 * makes the count one for all fronts of the process. Holds 16,384 addresses in sets of eight; in a full set the address
 * whose minute ends first makes room.
 *
 * Each address is one word, which is replaced as a whole: 27 bits of the address's digest, 32 bits of the second at which
 * its minute ends, 5 bits of the count. The digest is keyed, so that nobody can choose addresses of one set.
 */
export class LoginThrottle {
  /** Passed to `new LoginThrottle` on another thread. */
  readonly buffer: SharedArrayBuffer
  readonly #now: () => number
  readonly #words: BigUint64Array
  readonly #seed: Uint8Array

  /** @param now milliseconds, monotonic, the same on every thread */
  constructor(now: () => number, buffer = seededBuffer()) {
    this.buffer = buffer
    this.#now = now
    this.#words = new BigUint64Array(buffer, 0, SETS * WAYS)
    this.#seed = new Uint8Array(buffer, SETS * WAYS * WORD_BYTES)
  }

  /** Returns the whole seconds until the address may try again; 0 if it is not blocked. */
  blockedForSeconds(address: string): number {
    const { count, endsAt } = this.#find(address)
    return count < MAX_FAILURES ? 0 : Math.ceil(endsAt - this.#now() / 1_000)
  }

  /** Counts a wrong secret. Returns true when it is the one that blocks the address. */
  failed(address: string): boolean {
    for (;;) {
      const { at, word, tag, count, endsAt } = this.#find(address)
      if (count === MAX_FAILURES) return false
      const end = count === 0 ? Math.ceil(this.#now() / 1_000) + WINDOW_SECONDS : endsAt
      if (this.#replace(at, word, wordOf(tag, end, count + 1))) return count + 1 === MAX_FAILURES
    }
  }

  succeeded(address: string): void {
    for (;;) {
      const { at, word, count } = this.#find(address)
      if (count === 0 || this.#replace(at, word, 0n)) return
    }
  }

  #replace(at: number, before: bigint, after: bigint): boolean {
    return Atomics.compareExchange(this.#words, at, before, after) === before
  }

  /** Returns the word of an address that has failures in its minute, else the word that it may replace. */
  #find(address: string): Entry {
    const key = hash('sha256', Buffer.concat([this.#seed, Buffer.from(address)]), 'buffer')
    const first = (key.readUInt32BE(0) % SETS) * WAYS
    const tag = key.readUInt32BE(4) >>> (32 - TAG_BITS)
    const now = this.#now() / 1_000
    let oldest: Entry | undefined
    for (let at = first; at < first + WAYS; at++) {
      const word = Atomics.load(this.#words, at)
      const endsAt = Number((word >> COUNT_BITS) & END_MASK)
      const isOver = endsAt <= now
      const count = Number(word & COUNT_MASK)
      if (!isOver && Number(word >> (COUNT_BITS + END_BITS)) === tag) return { at, word, tag, count, endsAt }
      if (oldest === undefined || endsAt < oldest.endsAt) oldest = { at, word, tag, count: 0, endsAt }
    }
    return oldest as Entry
  }
}

interface Entry {
  /** Index of the word, and its value. */
  readonly at: number
  readonly word: bigint
  readonly tag: number
  /** 0: the address has no word. */
  readonly count: number
  /** Second at which the minute ends. */
  readonly endsAt: number
}

const WORD_BYTES = 8
const TAG_BITS = 27
const END_BITS = 32n
const COUNT_BITS = 5n
const END_MASK = (1n << END_BITS) - 1n
const COUNT_MASK = (1n << COUNT_BITS) - 1n

const wordOf = (tag: number, endsAt: number, count: number) =>
  (BigInt(tag) << (COUNT_BITS + END_BITS)) | (BigInt(endsAt) << COUNT_BITS) | BigInt(count)

function seededBuffer(): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(SETS * WAYS * WORD_BYTES + SEED_BYTES)
  new Uint8Array(buffer, SETS * WAYS * WORD_BYTES).set(randomBytes(SEED_BYTES))
  return buffer
}

/** Returns one key per IPv4 address or IPv6 /64, the smallest network that one customer gets. */
export function addressKey(remote: ArrayBuffer): string {
  const bytes = Buffer.from(remote)
  const mapped = bytes.length === 16 && bytes.readBigUInt64BE(0) === 0n
  return bytes.subarray(0, bytes.length === 16 && !mapped ? 8 : 16).toString('hex')
}
