import { callSafely, Waiters } from './waiters.ts'

export interface MailboxSpec {
  /** Most messages that have been let in and not been settled. */
  readonly capacity: number
}

/** A message's place in a mailbox: occupied from the offer until it is settled. */
export interface Slot {
  /** Frees the place; a second call does nothing. */
  free(): void
}

/** A place as the mailbox's reader sees it. */
export interface TakenSlot extends Slot {
  readonly freed: boolean
}

const noop = () => {}

/** A bounded queue whose places outlive the queueing: what is being worked on still counts. One reader. */
export class Mailbox<M> {
  readonly spec: MailboxSpec
  readonly #roomWaiters = new Waiters(() => this.room > 0)
  #queue: M[] = []
  #slots: TakenSlot[] = []
  #occupied = 0
  #refused = 0
  #onMail: () => void = noop
  readonly #release = (onFreed: () => void) => {
    this.#occupied--
    callSafely(onFreed)
    this.#roomWaiters.wake()
  }

  constructor(spec: MailboxSpec) {
    if (!Number.isInteger(spec.capacity) || spec.capacity < 1) throw new RangeError(`a mailbox of ${spec.capacity}`)
    this.spec = spec
  }

  /** `onSettled` runs when the place is freed. False: no place, nothing happened but the count of refusals. */
  offer(message: M, onFreed: () => void = noop): boolean {
    if (this.#occupied >= this.spec.capacity) return this.refuse()
    this.#occupied++
    this.#queue.push(message)
    this.#slots.push(new OccupiedSlot(this.#release, onFreed))
    this.#onMail()
    return true
  }

  /** Counts a message that found no place, also one that an edge on this thread did not let through. Returns false. */
  refuse(): false {
    this.#refused++
    return false
  }

  /** Up to `max` messages in the order they were offered, with their places. */
  take(max: number): { readonly messages: M[]; readonly slots: TakenSlot[] } {
    if (this.#queue.length <= max) {
      const taken = { messages: this.#queue, slots: this.#slots }
      this.#queue = []
      this.#slots = []
      return taken
    }
    return { messages: this.#queue.splice(0, max), slots: this.#slots.splice(0, max) }
  }

  /** The reader is told on every offer. */
  onMail(onMail: () => void): void {
    this.#onMail = onMail
  }

  /** Called once, while a place is free (at once when one is). */
  whenRoom(resume: () => void): void {
    this.#roomWaiters.add(resume)
  }

  get room(): number {
    return this.spec.capacity - this.#occupied
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

/** One for each message: a class, because a closure for each would cost as much as all the rest. */
class OccupiedSlot implements TakenSlot {
  freed = false
  readonly #release: (onSettled: () => void) => void
  readonly #onFreed: () => void

  constructor(release: (onSettled: () => void) => void, onFreed: () => void) {
    this.#release = release
    this.#onFreed = onFreed
  }

  free(): void {
    if (this.freed) return
    this.freed = true
    this.#release(this.#onFreed)
  }
}
