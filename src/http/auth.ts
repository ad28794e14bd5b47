import { hash, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'

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
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 10_000

/** Rate limit of wrong secrets per address: 20 within a minute block the address until the minute is over. */
export class LoginThrottle {
  readonly #failures: LRUCache<string, number>

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#failures = new LRUCache({ max: MAX_ADDRESSES, ttl: WINDOW_MS, ttlResolution: 0, perf: { now } })
  }

  /** Returns the whole seconds until the address may try again; 0 if it is not blocked. */
  blockedForSeconds(address: string): number {
    if ((this.#failures.get(address) ?? 0) < MAX_FAILURES) return 0
    return Math.max(1, Math.ceil(this.#failures.getRemainingTTL(address) / 1000))
  }

  /** Counts a wrong secret. Returns true when it is the one that blocks the address. */
  failed(address: string): boolean {
    const failures = (this.#failures.get(address) ?? 0) + 1
    this.#failures.set(address, failures, { noUpdateTTL: true })
    return failures === MAX_FAILURES
  }

  succeeded(address: string): void {
    this.#failures.delete(address)
  }
}

/** Returns one key per IPv4 address or IPv6 /64, the smallest network that one customer gets. */
export function addressKey(remote: ArrayBuffer): string {
  const bytes = Buffer.from(remote)
  const mapped = bytes.length === 16 && bytes.readBigUInt64BE(0) === 0n
  return bytes.subarray(0, bytes.length === 16 && !mapped ? 8 : 16).toString('hex')
}
