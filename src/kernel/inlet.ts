import type { Mailbox } from './mailbox.ts'

interface Parked<M> {
  readonly message: M
  readonly onFreed: () => void
}

/**
 * The receiver's half of a far edge. A peer that starts anew has all of its window, while messages of its earlier life may still occupy
 * places here: those that would exceed the window wait outside the mailbox until the old ones are through. So no more than the window is ever
 * parked, and the mailbox stays within its capacity.
 */
export class Inlet<M> {
  readonly mailbox: Mailbox<M>
  readonly #onMisdirected: () => void
  #window = 0
  #occupied = 0
  #parked: Parked<M>[] = []

  /** `misdirected` is told of a message for which the mailbox has no place although the edge's window does. */
  constructor(mailbox: Mailbox<M>, onMisdirected: () => void) {
    this.mailbox = mailbox
    this.#onMisdirected = onMisdirected
  }

  /** `window` is what the sender says; `settled` runs whenever one of the places is freed. */
  take(messages: readonly M[], window: number, onFreed: () => void): void {
    this.#window = window
    const release = this.#releasing(onFreed)
    for (const message of messages) {
      if (this.#occupied >= window) this.#parked.push({ message, onFreed: release })
      else this.#admit(message, release)
    }
  }

  /** The peer is gone: what is parked is lost with the rest of what was under way. */
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
