import type { Mailbox } from './mailbox.ts'

interface Parked<M> {
  readonly message: M
  readonly onFreed: () => void
}

/**
 * Receiving end of an edge from another thread. A restarted peer has its full window again, while messages of its
 * earlier incarnation may still hold slots here. Messages that would exceed the window are parked outside the mailbox
 * until slots are free: at most one window of them, so the mailbox stays within its capacity.
 */
export class Inlet<M> {
  readonly mailbox: Mailbox<M>
  readonly #onMisdirected: () => void
  #window = 0
  #occupied = 0
  #parked: Parked<M>[] = []

  /** @param onMisdirected called for a message that finds the mailbox full although its edge's window is not */
  constructor(mailbox: Mailbox<M>, onMisdirected: () => void) {
    this.mailbox = mailbox
    this.#onMisdirected = onMisdirected
  }

  /**
   * @param window the sender's
   * @param onFreed called for each slot that is freed
   */
  take(messages: readonly M[], window: number, onFreed: () => void): void {
    this.#window = window
    const release = this.#releasing(onFreed)
    for (const message of messages) {
      if (this.#occupied >= window) this.#parked.push({ message, onFreed: release })
      else this.#admit(message, release)
    }
  }

  /** Drops parked messages, with everything else that was under way from a peer that is gone. */
  dropParked(): void {
    this.#parked = []
  }

  #releasing(onFreed: () => void): () => void {
    return () => {
      this.#occupied--
      onFreed()
      if (this.#parked.length > 0) this.#admitParked()
    }
  }

  #admit(message: M, onFreed: () => void): void {
    this.#occupied++
    if (this.mailbox.offer(message, onFreed)) return
    this.#occupied--
    this.#onMisdirected()
  }

  #admitParked(): void {
    while (this.#occupied < this.#window) {
      const next = this.#parked.shift()
      if (!next) return
      this.#admit(next.message, next.onFreed)
    }
  }
}
