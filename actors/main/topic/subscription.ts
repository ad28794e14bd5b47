import type { TopicSubscriptionState } from '../../../src/api/topic.ts'
import { type Backoff, fullJitterMs } from '../../../src/domain/backoff.ts'
import type { Clock, Timer } from '../../../src/kernel/clock.ts'

interface TopicSubscriptionDeps {
  readonly clock: Clock
  /** Uniform in [0, 1), for the jitter. */
  random(): number
  /** True: the topic calls us already; false: it will ask for a confirmation first. */
  subscribe(): Promise<boolean>
  /** What a failure was, in one line without secrets. */
  describeError(error: unknown): string
  readonly report: TopicSubscriptionReport
}

export interface TopicSubscriptionReport {
  subscribed(): void
  pending(): void
  /** Nobody confirmed in time, so the topic is asked anew. */
  unconfirmed(afterMs: number): void
  failed(error: string, retryInMs: number): void
}

/** Never given up: an operator may mend a policy at any time. */
const BACKOFF: Backoff = { initialMs: 1_000, maxMs: 5 * 60_000 }
/** The topic service tries to deliver its question for less than this. */
const CONFIRMED_WITHIN_MS = 10 * 60_000

/** Keeps the topic subscribed: asks until it agrees, and once more when the confirmation does not come. */
export class TopicSubscription {
  readonly #deps: TopicSubscriptionDeps
  #state: TopicSubscriptionState['state'] = 'idle'
  #failures = 0
  #lastError: string | null = null
  #timer: Timer | undefined
  /** Tells the answer to the last call from late ones. */
  #call = 0

  constructor(deps: TopicSubscriptionDeps) {
    this.#deps = deps
  }

  get status(): TopicSubscriptionState {
    return { state: this.#state, failures: this.#failures, last_error: this.#lastError }
  }

  start(): void {
    if (this.#state === 'idle') void this.#ask()
  }

  /** A genuine message came, or a confirmation was accepted: the topic calls us. */
  messageReceived(): void {
    if (this.#state === 'stopped' || this.#state === 'subscribed') return
    this.#subscribed()
  }

  stop(): void {
    this.#state = 'stopped'
    this.#timer?.cancel()
  }

  async #ask(): Promise<void> {
    this.#state = 'asking'
    const call = ++this.#call
    try {
      const subscribed = await this.#deps.subscribe()
      if (this.#isCurrent(call)) this.#subscribeAnswered(subscribed)
    } catch (error) {
      if (this.#isCurrent(call)) this.#failed(error)
    }
  }

  #isCurrent(call: number): boolean {
    return call === this.#call && this.#state === 'asking'
  }

  #subscribeAnswered(subscribed: boolean): void {
    if (subscribed) return this.#subscribed()
    this.#state = 'pending'
    this.#resetFailures()
    this.#deps.report.pending()
    this.#timer = this.#deps.clock.setTimer(CONFIRMED_WITHIN_MS, () => {
      this.#deps.report.unconfirmed(CONFIRMED_WITHIN_MS)
      void this.#ask()
    })
  }

  #subscribed(): void {
    this.#state = 'subscribed'
    this.#resetFailures()
    this.#deps.report.subscribed()
  }

  #resetFailures(): void {
    this.#timer?.cancel()
    this.#failures = 0
    this.#lastError = null
  }

  #failed(error: unknown): void {
    const { clock, random, describeError, report } = this.#deps
    const why = describeError(error)
    this.#failures++
    this.#lastError = why
    const retryInMs = Math.max(BACKOFF.initialMs, fullJitterMs(this.#failures, BACKOFF, random()))
    report.failed(why, retryInMs)
    this.#timer = clock.setTimer(retryInMs, () => void this.#ask())
  }
}
