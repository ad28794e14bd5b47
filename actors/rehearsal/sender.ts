import type { Rate } from '../../src/channels/channel.ts'
import { createDestinationThrottle } from '../../src/channels/destination/throttle.ts'
import { NORMAL } from '../../src/channels/destination/token-buckets.ts'
import type { Attempt } from '../../src/domain/delivery/delivery.ts'
import { type Dispatch, keyOf, type Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { Clock } from '../../src/kernel/clock.ts'

interface SenderOptions {
  /** Rate of each destination. */
  readonly rate: Rate
  /** Dispatches that it holds at most. */
  readonly mailbox: number
}

/** Nothing fails in a rehearsal. */
const CIRCUIT = { failures: 1, openForMs: 0 }

/** Stands for a sender and its provider: takes turns and keeps the rate as a sender does, and the provider answers at once. */
export class RehearsedSender {
  readonly #throttle: ReturnType<typeof createDestinationThrottle>
  readonly #clock: Clock
  readonly #settle: (settlement: Settlement) => void
  readonly #mailbox: number
  #held = 0

  constructor({ rate, mailbox }: SenderOptions, clock: Clock, settle: (settlement: Settlement) => void) {
    this.#throttle = createDestinationThrottle({ rate, circuit: CIRCUIT }, clock)
    this.#clock = clock
    this.#settle = settle
    this.#mailbox = mailbox
  }

  /** Free slots. */
  get room(): number {
    return this.#mailbox - this.#held
  }

  /** Settles the dispatch once, perhaps before it returns. */
  async take(dispatch: Dispatch): Promise<void> {
    const destination = String(dispatch.code)
    const waitMs = this.#throttle.deferMs(destination, dispatch.kind === 'delivery' ? dispatch.incident : 0)
    if (waitMs > 0) {
      this.#settle({ ...keyOf(dispatch), verdict: { state: 'pending', at: this.#clock.now() + waitMs } })
      return
    }
    this.#held++
    this.#throttle.enter(destination)
    const limiterWaitMs = await this.#throttle.acquire(
      destination,
      dispatch.destination === 'oncall' ? NORMAL : dispatch,
    )
    this.#throttle.leave(destination)
    this.#held--
    this.#settle(sent(dispatch, { limiterWaitMs, startedAt: this.#clock.now() }))
  }
}

/** Returns the settlement of a dispatch that its provider took. */
export function sent(dispatch: Dispatch, times: Pick<Attempt, 'limiterWaitMs' | 'startedAt'>): Settlement {
  const attempt = {
    number: dispatch.attempt,
    ...times,
    durationMs: 0,
    outcome: 'sent',
    detail: '',
    messageId: `${dispatch.kind} ${dispatch.incident} ${dispatch.number}`,
    mayDuplicate: dispatch.mayDuplicate,
    dispatchedAt: dispatch.dispatchedAt,
    renderMs: 0,
  } as const
  return { ...keyOf(dispatch), attempt, verdict: { state: 'sent' } }
}
