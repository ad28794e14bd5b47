/** Rate that a stand-in allows each chat: `perSecond` requests a second, `burst` at once. */
export interface Limit {
  readonly perSecond: number
  readonly burst: number
}

/**
 * Limits of providers, for posts and edits together: about one message a second in a channel, and 20 a minute in a
 * group after a short burst.
 */
export const CHAT_LIMITS = {
  chatws: { perSecond: 1, burst: 4 },
  msgapp: { perSecond: 1 / 3, burst: 5 },
} as const satisfies { readonly [kind: string]: Limit }

/** Requests that left at the allowed rate may arrive closer together than they left. */
const JITTER_TOKENS = 0.5

interface Bucket {
  tokens: number
  refilledAtMs: number
}

/** One token bucket for each chat. `now`: monotonic milliseconds. */
export class ChatLimiter {
  readonly #limit: Limit
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  constructor(limit: Limit, now: () => number = () => performance.now()) {
    this.#limit = limit
    this.#now = now
  }

  /** Takes a token. Returns 0, or the whole seconds after which the chat has one again. */
  take(chat: string): number {
    const { perSecond, burst } = this.#limit
    const now = this.#now()
    const full = burst + JITTER_TOKENS
    const { tokens: left, refilledAtMs } = this.#buckets.get(chat) ?? { tokens: full, refilledAtMs: now }
    const tokens = Math.min(full, left + ((now - refilledAtMs) / 1_000) * perSecond)
    const taken = tokens >= 1
    this.#buckets.set(chat, { tokens: taken ? tokens - 1 : tokens, refilledAtMs: now })
    return taken ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond))
  }
}
