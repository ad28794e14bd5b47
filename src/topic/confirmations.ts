import { LRUCache } from 'lru-cache'
import { SingleFlights } from '../async/single-flight.ts'
import { CodedError } from '../domain/errors.ts'
import { HttpFailure } from '../outbound/http-call.ts'
import type { Outbound } from './outbound.ts'

interface ConfirmationDeps {
  readonly outbound: Outbound
  readonly deadlineMs: number
  /** Monotonic milliseconds. */
  elapsed(): number
}

const MAX_BYTES = 64 * 1024
/** Twice the time for which a message is accepted: no confirmation comes again after that. */
const KEPT_MS = 2 * 3_600_000
const MAX_KEPT = 64

/** Visits SubscribeURLs, once for each MessageId: a repeated message changes nothing. */
export class Confirmations {
  readonly #deps: ConfirmationDeps
  readonly #visited: LRUCache<string, true>
  readonly #visits = new SingleFlights<void>()

  constructor(deps: ConfirmationDeps) {
    this.#deps = deps
    this.#visited = new LRUCache({ max: MAX_KEPT, ttl: KEPT_MS, perf: { now: () => deps.elapsed() } })
  }

  /** Rejects with topic_unreachable; the topic service then sends the message again. */
  async visit(messageId: string, url: string): Promise<void> {
    if (this.#visited.has(messageId)) return
    await this.#visits.run(messageId, async () => {
      await this.#get(url)
      this.#visited.set(messageId, true)
    })
  }

  async #get(url: string): Promise<void> {
    const { outbound, deadlineMs } = this.#deps
    const request = { url, method: 'GET', maxBytes: MAX_BYTES, deadlineMs } as const
    const { status } = await outbound.send(request).catch((cause) => {
      const why = cause instanceof HttpFailure ? cause.message : 'the request failed'
      throw new CodedError('topic_unreachable', `the subscription cannot be confirmed: ${why}`, { cause })
    })
    if (status === 200) return
    throw new CodedError('topic_unreachable', `the subscription cannot be confirmed: HTTP ${status}`)
  }
}
