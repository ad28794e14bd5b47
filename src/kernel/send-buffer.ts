import type { Ref } from './ref.ts'

interface Buffered<M> {
  readonly message: M
  readonly onSent: () => void
}

/** The part of a ref that a `SendBuffer` uses. */
export type Receiver<M> = Pick<Ref<M>, 'tell' | 'room' | 'whenRoom' | 'whenIdle'>

/**
 * Keeps messages that find no room, in order, and sends them when there is room: for producers whose policy is to wait.
 * `onSent` should free the slot of the message that caused the send; then the producer's own mailbox bounds the buffer.
 */
export class SendBuffer<M> {
  readonly #receiver: Receiver<M>
  #buffered: Buffered<M>[] = []
  #emptyWaiters: (() => void)[] = []
  #awaitingRoom = false

  constructor(receiver: Receiver<M>) {
    this.#receiver = receiver
  }

  tell(message: M, onSent: () => void): void {
    if (this.#buffered.length === 0 && this.#receiver.tell(message)) return onSent()
    this.#buffered.push({ message, onSent })
    this.#flushWhenRoom()
  }

  /** Drops what is buffered and calls `onSent` for it: the receiver is gone. */
  clear(): void {
    const dropped = this.#buffered
    this.#buffered = []
    for (const { onSent } of dropped) onSent()
    this.#wakeEmptyWaiters()
  }

  /** Calls `resume` once, as soon as everything is sent and the receiver has freed its slots, or is gone. */
  whenIdle(resume: () => void): void {
    if (this.#buffered.length > 0) this.#emptyWaiters.push(() => this.whenIdle(resume))
    else this.#receiver.whenIdle(() => (this.#buffered.length === 0 ? resume() : this.whenIdle(resume)))
  }

  #flushWhenRoom(): void {
    if (this.#awaitingRoom) return
    this.#awaitingRoom = true
    this.#receiver.whenRoom(() => {
      this.#awaitingRoom = false
      this.#flush()
    })
  }

  #flush(): void {
    for (let next = this.#buffered[0]; next; next = this.#buffered[0]) {
      if (this.#receiver.room === 0 || !this.#receiver.tell(next.message)) return this.#flushWhenRoom()
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
