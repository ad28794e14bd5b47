import type { Ref } from './ref.ts'

interface Waiting<M> {
  readonly message: M
  readonly told: () => void
}

/**
 * For a producer whose policy is to wait: what finds no room is kept, in order, and told when there is. `told` frees the place that the
 * message's cause occupies, so the outbox holds no more than the producer's own mailbox lets in.
 */
export class Outbox<M> {
  readonly #ref: Ref<M>
  #waiting: Waiting<M>[] = []
  #emptied: (() => void)[] = []
  #awaitingRoom = false

  constructor(ref: Ref<M>) {
    this.#ref = ref
  }

  tell(message: M, told: () => void): void {
    if (this.#waiting.length === 0 && this.#ref.tell(message)) return told()
    this.#waiting.push({ message, told })
    this.#flushWhenRoom()
  }

  /** The receiver is gone: what waits is dropped, its places are freed. */
  clear(): void {
    const dropped = this.#waiting
    this.#waiting = []
    for (const { told } of dropped) told()
    this.#wakeEmptied()
  }

  /** Called once, when everything has been told and the receiver has settled it, or is gone. */
  whenIdle(resume: () => void): void {
    if (this.#waiting.length > 0) this.#emptied.push(() => this.whenIdle(resume))
    else this.#ref.whenIdle(() => (this.#waiting.length === 0 ? resume() : this.whenIdle(resume)))
  }

  get length(): number {
    return this.#waiting.length
  }

  #flushWhenRoom(): void {
    if (this.#awaitingRoom) return
    this.#awaitingRoom = true
    this.#ref.whenRoom(() => {
      this.#awaitingRoom = false
      this.#flush()
    })
  }

  #flush(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (this.#ref.room === 0 || !this.#ref.tell(next.message)) return this.#flushWhenRoom()
      this.#waiting.shift()
      next.told()
    }
    this.#wakeEmptied()
  }

  #wakeEmptied(): void {
    const emptied = this.#emptied
    this.#emptied = []
    for (const resume of emptied) resume()
  }
}
