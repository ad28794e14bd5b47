import type { Ref } from './ref.ts'

interface Buffered<M> {
  readonly message: M
  readonly onSent: () => void
}

/**
 * For a producer whose policy is to wait: what finds no room is kept, in order, and told when there is. `told` frees the place that the
 * message's cause occupies, so the outbox holds no more than the producer's own mailbox lets in.
 */
export class SendBuffer<M> {
  readonly #ref: Ref<M>
  #buffered: Buffered<M>[] = []
  #emptyWaiters: (() => void)[] = []
  #awaitingRoom = false

  constructor(ref: Ref<M>) {
    this.#ref = ref
  }

  tell(message: M, onSent: () => void): void {
    if (this.#buffered.length === 0 && this.#ref.tell(message)) return onSent()
    this.#buffered.push({ message, onSent })
    this.#flushWhenRoom()
  }

  /** The receiver is gone: what waits is dropped, its places are freed. */
  clear(): void {
    const dropped = this.#buffered
    this.#buffered = []
    for (const { onSent } of dropped) onSent()
    this.#wakeEmptyWaiters()
  }

  /** Called once, when everything has been told and the receiver has settled it, or is gone. */
  whenIdle(resume: () => void): void {
    if (this.#buffered.length > 0) this.#emptyWaiters.push(() => this.whenIdle(resume))
    else this.#ref.whenIdle(() => (this.#buffered.length === 0 ? resume() : this.whenIdle(resume)))
  }

  get length(): number {
    return this.#buffered.length
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
    for (let next = this.#buffered[0]; next; next = this.#buffered[0]) {
      if (this.#ref.room === 0 || !this.#ref.tell(next.message)) return this.#flushWhenRoom()
      this.#buffered.shift()
      next.onSent()
    }
    this.#wakeEmptyWaiters()
  }

  #wakeEmptyWaiters(): void {
    const waiters = this.#emptyWaiters
    this.#emptyWaiters = []
    for (const resume of waiters) resume()
  }
}
