import { hash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

export const TICKET_MS = 30_000
const TICKET_BYTES = 24
const MAX_TICKETS = 4_096

/** Proofs, good for one use within 30 s, that somebody has shown the gateway secret: a WebSocket of a browser cannot carry the header. */
export class Tickets {
  /** By digest, so that nothing can be learned from how long looking one up takes; more than 4,096 push out the oldest. */
  readonly #open: LRUCache<string, true>

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#open = new LRUCache({ max: MAX_TICKETS, ttl: TICKET_MS, ttlResolution: 0, perf: { now } })
  }

  issue(): string {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url')
    this.#open.set(digest(ticket), true)
    return ticket
  }

  /** True once for each ticket. */
  redeem(ticket: string): boolean {
    return this.#open.has(digest(ticket)) && this.#open.delete(digest(ticket))
  }

  /** None that is out is good any more. */
  revoke(): void {
    this.#open.clear()
  }
}

const digest = (ticket: string) => hash('sha256', ticket)
