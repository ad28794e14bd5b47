import { callOut, Waiters } from './waiters.ts'

/**
 * What a producer does when there is no place: answer "busy" (refuse), keep the message and go on when told of room (wait),
 * leave it in the database until there is room (spill), or not read on from where it comes from (lag).
 */
export type WhenFull = 'refuse' | 'wait' | 'spill' | 'lag'

export interface MailboxSpec {
  /** Most messages that have been let in and not been settled. */
  readonly capacity: number
  readonly whenFull: WhenFull
}

/** A message's place in a mailbox: occupied from the offer until it is settled. */
export interface Place {
  /** Frees the place; a second call does nothing. */
  settle(): void
}

/** A place as the mailbox's reader sees it. */
export interface TakenPlace extends Place {
  readonly settled: boolean
}

const nothing = () => {}

/** A bounded queue whose places outlive the queueing: what is being worked on still counts. One reader. */
export class Mailbox<M> {
  readonly spec: MailboxSpec
  readonly #room = new Waiters(() => this.room > 0)
  #queue: M[] = []
  #places: TakenPlace[] = []
  #occupied = 0
  #refused = 0
  #mail: () => void = nothing
  readonly #freed = (onSettled: () => void) => {
    this.#occupied--
    callOut(onSettled)
    this.#room.wake()
  }

  constructor(spec: MailboxSpec) {
    if (!Number.isInteger(spec.capacity) || spec.capacity < 1) throw new RangeError(`a mailbox of ${spec.capacity}`)
    this.spec = spec
  }

  /** `onSettled` runs when the place is freed. False: no place, nothing happened but the count of refusals. */
  offer(message: M, onSettled: () => void = nothing): boolean {
    if (this.#occupied >= this.spec.capacity) {
      this.#refused++
      return false
    }
    this.#occupied++
    this.#queue.push(message)
    this.#places.push(new Occupied(this.#freed, onSettled))
    this.#mail()
    return true
  }

  /** Up to `max` messages in the order they were offered, with their places. */
  take(max: number): { readonly messages: M[]; readonly places: TakenPlace[] } {
    if (this.#queue.length <= max) {
      const taken = { messages: this.#queue, places: this.#places }
      this.#queue = []
      this.#places = []
      return taken
    }
    return { messages: this.#queue.splice(0, max), places: this.#places.splice(0, max) }
  }

  /** The reader is told on every offer. */
  onMail(mail: () => void): void {
    this.#mail = mail
  }

  /** Called once, while a place is free (at once when one is). */
  whenRoom(resume: () => void): void {
    this.#room.add(resume)
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
class Occupied implements TakenPlace {
  settled = false
  readonly #freed: (onSettled: () => void) => void
  readonly #onSettled: () => void

  constructor(freed: (onSettled: () => void) => void, onSettled: () => void) {
    this.#freed = freed
    this.#onSettled = onSettled
  }

  settle(): void {
    if (this.settled) return
    this.settled = true
    this.#freed(this.#onSettled)
  }
}
