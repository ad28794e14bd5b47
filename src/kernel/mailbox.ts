import { callSafely } from './waiters.ts'

export interface MailboxSpec {
  /** Number of slots. */
  readonly capacity: number
}

/** Slot of one message in a mailbox, occupied from the offer until it is freed. */
export interface Slot {
  /** Does nothing the second time. */
  free(): void
}

export interface TakenSlot extends Slot {
  readonly freed: boolean
}

const noop = () => {}

/**
 * Bounded queue with one reader. A message holds its slot until its work is done, not only while it is queued.
 *
 * - queued: waits for the reader; leaves to taken
 * - taken: the reader works on it; leaves to freed
 * - freed: another message may have the slot
 */
export class Mailbox<M> {
  readonly spec: MailboxSpec
  #queue: M[] = []
  #slots: TakenSlot[] = []
  #occupied = 0
  #refused = 0
  #onMail: () => void = noop
  readonly #release = (onFreed: () => void) => {
    this.#occupied--
    callSafely(onFreed)
  }

  constructor(spec: MailboxSpec) {
    if (!Number.isInteger(spec.capacity) || spec.capacity < 1) throw new RangeError(`a mailbox of ${spec.capacity}`)
    this.spec = spec
  }

  /**
   * Queues the message. Returns false, and counts a refusal, when no slot is free.
   * @param onFreed called when the message's slot is freed
   */
  offer(message: M, onFreed: () => void = noop): boolean {
    if (this.#occupied >= this.spec.capacity) return this.refuse()
    this.#occupied++
    this.#queue.push(message)
    this.#slots.push(new OccupiedSlot(this.#release, onFreed))
    this.#onMail()
    return true
  }

  /** Counts a refused message and returns false. Also for messages that an edge's window kept out. */
  refuse(): false {
    this.#refused++
    return false
  }

  /** Removes and returns up to `max` messages, oldest first, with their slots. */
  take(max: number): { readonly messages: M[]; readonly slots: TakenSlot[] } {
    if (this.#queue.length <= max) {
      const taken = { messages: this.#queue, slots: this.#slots }
      this.#queue = []
      this.#slots = []
      return taken
    }
    return { messages: this.#queue.splice(0, max), slots: this.#slots.splice(0, max) }
  }

  /** Sets the reader's callback for each offer. */
  onMail(onMail: () => void): void {
    this.#onMail = onMail
  }

  get occupied(): number {
    return this.#occupied
  }
  get queued(): number {
    return this.#queue.length
  }
  get refused(): number {
    return this.#refused
  }
}

/** A class, because a closure for each message would cost as much as the rest of the mailbox. */
class OccupiedSlot implements TakenSlot {
  freed = false
  readonly #release: (onFreed: () => void) => void
  readonly #onFreed: () => void

  constructor(release: (onFreed: () => void) => void, onFreed: () => void) {
    this.#release = release
    this.#onFreed = onFreed
  }

  free(): void {
    if (this.freed) return
    this.freed = true
    this.#release(this.#onFreed)
  }
}
