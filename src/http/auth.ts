import { hash, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** A configured secret; comparing takes the same time whatever is given, its length included. */
export class Secret {
  readonly #digest: Buffer

  constructor(value: string) {
    this.#digest = digest(value)
  }

  matches(given: string): boolean {
    return timingSafeEqual(this.#digest, digest(given))
  }
}

/** Undefined for '', which configures no secret. */
export const secretOf = (value: string): Secret | undefined => (value === '' ? undefined : new Secret(value))

/** The credentials of `Authorization: Bearer`; '' when there are none. */
export const bearerOf = (header: string): string => /^bearer +(\S+)$/i.exec(header)?.[1] ?? ''

const MAX_FAILURES = 20
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 10_000

/** Counts wrong secrets per address: after 20 within a minute the address is not listened to until that minute is over. */
export class LoginThrottle {
  readonly #failures: LRUCache<string, number>

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#failures = new LRUCache({ max: MAX_ADDRESSES, ttl: WINDOW_MS, ttlResolution: 0, perf: { now } })
  }

  /** Whole seconds until the address is listened to again; 0: now. */
  blockedForSeconds(address: string): number {
    if ((this.#failures.get(address) ?? 0) < MAX_FAILURES) return 0
    return Math.max(1, Math.ceil(this.#failures.getRemainingTTL(address) / 1000))
  }

  /** True: this was the one too many. */
  failed(address: string): boolean {
    const failures = (this.#failures.get(address) ?? 0) + 1
    this.#failures.set(address, failures, { noUpdateTTL: true })
    return failures === MAX_FAILURES
  }

  succeeded(address: string): void {
    this.#failures.delete(address)
  }
}

/** One key per IPv4 address or IPv6 /64, the smallest block a single customer gets. */
export function addressKey(remote: ArrayBuffer): string {
  const bytes = Buffer.from(remote)
  const mapped = bytes.length === 16 && bytes.readBigUInt64BE(0) === 0n
  return bytes.subarray(0, bytes.length === 16 && !mapped ? 8 : 16).toString('hex')
}
