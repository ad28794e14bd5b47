import { Waiters } from './waiters.ts'

/**
 * Credit of a sender on one edge. `capacity` slots of the receiver's mailbox are reserved for the edge; each message
 * spends one credit and each freed slot refunds one, so a message that was sent always finds a slot.
 *
 * - open: credit can be spent; leaves to shut when the peer goes down
 * - shut: no credit; leaves to open, with all of it, when the next peer is attached
 */
export class CreditWindow {
  readonly capacity: number
  readonly #roomWaiters = new Waiters(() => this.room > 0)
  readonly #idleWaiters = new Waiters(() => this.#spent === 0)
  #spent = 0
  #open = true

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError(`a credit window of ${capacity}`)
    this.capacity = capacity
  }

  /** Returns false when there is no credit. */
  spend(): boolean {
    if (this.room === 0) return false
    this.#spent++
    return true
  }

  /** Throws RangeError when more is refunded than was spent: a bug on one of both sides. */
  refund(count: number): void {
    if (count < 0 || count > this.#spent) throw new RangeError(`refund of ${count} with ${this.#spent} spent`)
    this.#spent -= count
    this.wake()
  }

  /** Forgets spent credit: the peer that would refund it is gone. */
  shut(): void {
    this.#open = false
    this.#spent = 0
    this.#idleWaiters.wake()
  }

  /** Does not resume waiters: call `wake` after the link's watchers have run. */
  reopen(): void {
    this.#open = true
    this.#spent = 0
  }

  wake(): void {
    this.#roomWaiters.wake()
    this.#idleWaiters.wake()
  }

  /** Calls `resume` once, as soon as there is credit, perhaps at once. */
  whenRoom(resume: () => void): void {
    this.#roomWaiters.add(resume)
  }

  /** Calls `resume` once, as soon as nothing is spent, perhaps at once. */
  whenIdle(resume: () => void): void {
    this.#idleWaiters.add(resume)
  }

  get room(): number {
    return this.#open ? this.capacity - this.#spent : 0
  }
  get spent(): number {
    return this.#spent
  }
}
