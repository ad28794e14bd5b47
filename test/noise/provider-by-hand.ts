import type { Channel } from '../../src/channels/channel.ts'
import type { Outcome } from '../../src/domain/delivery/delivery.ts'
import type { ManualClock } from '../harness/manual-clock.ts'
import { DigestAccount } from '../harness/noise/digest-account.ts'
import { ChatLimiter, type Limit } from '../harness/stand-ins/limit.ts'

const ANSWER_MS = 150
const REFUSAL_MS = 5

interface Taken {
  readonly atMs: number
  readonly way: 'post' | 'edit'
  readonly text: string
}

interface ProviderOptions {
  readonly clock: ManualClock
  /** Absent: none. */
  readonly limit: Limit | undefined
  readonly edits: boolean
}

/** The provider of one channel, which answers by the clock of the test. */
export class ProviderByHand {
  readonly account = new DigestAccount()
  /** Messages and edits that it took. */
  readonly taken: Taken[] = []
  /** Requests above its limit. */
  limited = 0
  isDown = false
  /** It refuses everything for good, or never answers. */
  trouble: 'refuses' | 'hangs' | undefined
  readonly #options: ProviderOptions
  readonly #limiter: ChatLimiter | undefined

  constructor(options: ProviderOptions) {
    const { clock, limit } = options
    this.#options = options
    this.#limiter = limit && new ChatLimiter(limit, () => clock.elapsed())
  }

  get posts(): number {
    return this.taken.filter(({ way }) => way === 'post').length
  }
  get edits(): number {
    return this.taken.length - this.posts
  }

  /**
   * Returns the channel of one life of the service. When `hasEnded` it sends nothing more, and what was sent gets no
   * answer.
   */
  channel(hasEnded: () => boolean): Channel {
    const answer = async (way: Taken['way'], text: string, signal: AbortSignal) => {
      const outcome = hasEnded() ? undefined : await (this.trouble ? this.#fail(signal) : this.#answer(way, text))
      return outcome === undefined || hasEnded() ? new Promise<never>(() => {}) : outcome
    }
    return {
      destination: () => 'default',
      send: ({ text }, signal) => answer('post', text, signal),
      ...(this.#options.edits && { edit: ({ text }, _, signal) => answer('edit', text, signal) }),
      async close() {},
    }
  }

  async #fail(signal: AbortSignal): Promise<Outcome> {
    if (this.trouble === 'refuses') return { kind: 'failed', reason: 'channel_not_found' }
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    signal.addEventListener('abort', () => resolve({ kind: 'retry', reason: 'no answer', mayDuplicate: true }))
    return promise
  }

  async #answer(way: Taken['way'], text: string): Promise<Outcome> {
    const { clock } = this.#options
    const pass = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(ms, resolve))
    await pass(this.isDown ? REFUSAL_MS : ANSWER_MS / 2)
    if (this.isDown) return { kind: 'retry', reason: 'connect ECONNREFUSED' }
    const waitS = this.#limiter?.take('chat') ?? 0
    if (waitS > 0) this.limited++
    else {
      this.taken.push({ atMs: clock.elapsed(), way, text })
      this.account.add(text)
    }
    await pass(ANSWER_MS / 2)
    if (waitS > 0) return { kind: 'retry', reason: 'ratelimited', afterMs: waitS * 1_000 }
    return { kind: 'sent', messageId: `m${this.taken.length}` }
  }
}
