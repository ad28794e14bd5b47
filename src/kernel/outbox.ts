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

  constructor(ref: Ref<M>) {
    this.#ref = ref
  }

  tell(message: M, told: () => void): void {
    if (this.#waiting.length === 0 && this.#ref.tell(message)) return told()
    this.#waiting.push({ message, told })
    if (this.#waiting.length === 1) this.#ref.whenRoom(() => this.#flush())
  }

  /** The receiver is gone: what waits is dropped, its places are freed. */
  clear(): void {
    const dropped = this.#waiting
    this.#waiting = []
    for (const { told } of dropped) told()
  }

  /** Called once, when everything has been told and the receiver has settled it, or is gone. */
  whenIdle(resume: () => void): void {
    this.#ref.whenIdle(() => (this.#waiting.length === 0 ? resume() : this.#ref.whenRoom(() => this.whenIdle(resume))))
  }

  get length(): number {
    return this.#waiting.length
  }

  #flush(): void {
    while (this.#waiting[0]) {
      const { message, told } = this.#waiting[0]
      if (!this.#ref.tell(message)) return this.#ref.whenRoom(() => this.#flush())
      this.#waiting.shift()
      told()
    }
  }
}
