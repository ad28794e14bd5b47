/**
 * The sender's half of a bounded edge: it may have `capacity` messages under way that the other side has not settled.
 * The other side's mailbox reserves that many places, so a message that was let go always finds one.
 */
export class CreditWindow {
  readonly capacity: number
  #spent = 0
  #refused = 0
  #open = true
  #waiting: (() => void)[] = []
  #idle: (() => void)[] = []

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
    this.#wake()
    this.#wakeIdle()
  }

  /** The peer is gone: nothing may be spent and what was spent will not come back. */
  shut(): void {
    this.#open = false
    this.#spent = 0
    this.#wakeIdle()
  }

  /** A new peer with an empty mailbox. */
  reopen(): void {
    this.#open = true
    this.#spent = 0
    this.#wake()
  }

  /** Called once, when there is credit (at once when there is). */
  whenRoom(resume: () => void): void {
    if (this.room > 0) resume()
    else this.#waiting.push(resume)
  }

  /** Called once, when nothing is spent (at once when nothing is). */
  whenIdle(resume: () => void): void {
    if (this.#spent === 0) resume()
    else this.#idle.push(resume)
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

  #wake(): void {
    if (this.#waiting.length === 0 || this.room === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  #wakeIdle(): void {
    if (this.#idle.length === 0 || this.#spent > 0) return
    const idle = this.#idle
    this.#idle = []
    for (const resume of idle) resume()
  }
}
