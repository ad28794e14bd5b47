import type { TopicSubscriptionState } from '../../../src/api/topic.ts'
import { type Backoff, fullJitterMs } from '../../../src/domain/delivery/backoff.ts'
import type { Clock, Timer } from '../../../src/kernel/clock.ts'
import type { TopicReports } from './reports.ts'

interface TopicSubscriptionDeps {
  readonly clock: Clock
  /** Uniform in [0, 1), for the jitter. */
  random(): number
  /** Returns true when the topic delivers already; false when it will ask for a confirmation first. */
  subscribe(): Promise<boolean>
  /** Describes a failure in one line without secrets. */
  describeError(error: unknown): string
  readonly report: ReturnType<TopicReports['subscription']>
}

/** Retries never end: an operator may correct the topic's policy at any time. */
const BACKOFF: Backoff = { initialMs: 1_000, maxMs: 5 * 60_000 }
/** Longer than the topic service tries to deliver its request for confirmation. */
const CONFIRMED_WITHIN_MS = 10 * 60_000

/**
 * Keeps the topic subscribed.
 *
 * - idle: not started. Leaves to asking.
 * - asking: a call is under way, or waits for its retry time. Leaves to pending or subscribed.
 * - pending: the topic will ask for a confirmation. Leaves to subscribed with the first signed message, or to asking
 *   after 10 min.
 * - subscribed: the topic delivers.
 * - stopped: for good, from any state.
 */
export class TopicSubscription {
  readonly #deps: TopicSubscriptionDeps
  #state: TopicSubscriptionState['state'] = 'idle'
  #failures = 0
  #lastError: string | null = null
  #timer: Timer | undefined
  /** Number of the last call; answers to earlier ones are ignored. */
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

  /** Tells that a signed message came or a confirmation was accepted: the topic reaches this service. */
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
