import { Waiters } from './waiters.ts'

/**
 * The sender's half of a bounded edge: it may have `capacity` messages under way that the other side has not settled.
 * The other side's mailbox reserves that many places, so a message that was let go always finds one.
 */
export class CreditWindow {
  readonly capacity: number
  readonly #roomWaiters = new Waiters(() => this.room > 0)
  readonly #idleWaiters = new Waiters(() => this.#spent === 0)
  #spent = 0
  #refused = 0
  #open = true

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError(`a credit window of ${capacity}`)
    this.capacity = capacity
  }

  /** False: no credit. */
  spend(): boolean {
    if (this.room === 0) {
      this.#refused++
      return false
    }
    this.#spent++
    return true
  }

  /** Throws RangeError when more comes back than was spent: then the two sides disagree. */
  refund(count: number): void {
    if (count < 0 || count > this.#spent) throw new RangeError(`refund of ${count} with ${this.#spent} spent`)
    this.#spent -= count
    this.wake()
  }

  /** The peer is gone: nothing may be spent and what was spent will not come back. */
  shut(): void {
    this.#open = false
    this.#spent = 0
    this.#idleWaiters.wake()
  }

  /** A new peer, full credit. Whoever waits for room hears of it by `wake`: first the owner has to hear of the new peer. */
  reopen(): void {
    this.#open = true
    this.#spent = 0
  }

  wake(): void {
    this.#roomWaiters.wake()
    this.#idleWaiters.wake()
  }

  /** Called once, while there is credit (at once when there is). */
  whenRoom(resume: () => void): void {
    this.#roomWaiters.add(resume)
  }

  /** Called once, when nothing is spent (at once when nothing is). */
  whenIdle(resume: () => void): void {
    this.#idleWaiters.add(resume)
  }

  get room(): number {
    return this.#open ? this.capacity - this.#spent : 0
  }
  get spent(): number {
    return this.#spent
  }
  get refused(): number {
    return this.#refused
  }
}
