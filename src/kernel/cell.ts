import type { Clock, Timer } from './clock.ts'
import { Mailbox, type MailboxSpec, type Slot, type TakenSlot } from './mailbox.ts'
import type { TurnScheduler } from './turn-scheduler.ts'

/** Every message is tagged by a string literal. */
export interface Message {
  readonly kind: string
}

/** Handles its mail one batch at a time, never two at once. */
export interface Actor<M extends Message> {
  /**
   * `places` run parallel to `batch`. With `places: 'held'` the actor settles each when it is through with the message; otherwise all are
   * settled when `receive` returns or resolves. When it throws, what has been settled is not received again.
   */
  receive(batch: readonly M[], slots: readonly Slot[]): void | Promise<void>
  /** A message that threw twice; whoever waits for its answer must hear of it here. */
  deadLetter?(message: M, error: unknown): void
  /** Takes nothing new, gives back what has not been started, resolves when what was started has ended and is recorded. */
  drain?(): Promise<void>
  /** Drops timers and connections; called once, when the actor has failed or ends. Its successor is built when it is through. */
  close?(): void | Promise<void>
}

export interface ActorSpec<M extends Message> {
  readonly name: string
  readonly mailbox: MailboxSpec
  /** Most messages in one `receive`. */
  readonly batch: number
  readonly slots: 'auto' | 'held'
  /** Called at the start and again after a failure; state that must survive lives outside. */
  build(): Actor<M>
}

/** Where a cell says what went wrong. */
export interface CellReport {
  failed(actor: string, error: unknown, restartInMs: number): void
  deadLetter(actor: string, kind: string, error: unknown): void
}

export interface CellStatus {
  readonly name: string
  readonly state: 'up' | 'restarting' | 'closed'
  readonly queued: number
  readonly occupied: number
  readonly capacity: number
  readonly refused: number
  readonly restarts: number
  readonly deadLetters: { readonly [kind: string]: number }
}

export interface Restarts {
  readonly initialMs: number
  readonly maxMs: number
}
const RESTARTS: Restarts = { initialMs: 50, maxMs: 5_000 }

/** n-th restart in a row, counted from 1. */
export const restartDelayMs = (failures: number, { initialMs, maxMs }: Restarts) =>
  Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 20))

interface CellDeps {
  readonly clock: Clock
  readonly scheduler: TurnScheduler
  readonly report: CellReport
  readonly restarts?: Restarts
}

interface Work<M> {
  readonly messages: readonly M[]
  readonly slots: readonly TakenSlot[]
}

/**
 * One actor with its mailbox, supervised: when `receive` throws, the actor is closed, rebuilt after a backoff, and the messages of that batch
 * are tried once more, one by one; what throws again is a dead letter, counted by kind.
 */
export class Cell<M extends Message> {
  readonly spec: ActorSpec<M>
  readonly mailbox: Mailbox<M>
  readonly #deps: CellDeps
  #actor: Actor<M>
  #state: CellStatus['state'] = 'up'
  #busy = false
  #retry: Work<M>[] = []
  /** Batches of one whose message was in a batch that threw. */
  readonly #retried = new WeakSet<Work<M>>()
  #failuresInARow = 0
  #restarts = 0
  #deadLetters: { [kind: string]: number } = {}
  #idleWaiters: (() => void)[] = []
  #backoff: Timer | undefined
  /** Of the present instance. */
  #actorClosed: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor(spec: ActorSpec<M>, deps: CellDeps) {
    if (!(spec.batch >= 1)) throw new RangeError(`${spec.name} with batches of ${spec.batch}`)
    this.spec = spec
    this.#deps = deps
    this.mailbox = new Mailbox<M>(spec.mailbox)
    this.#actor = spec.build()
    this.mailbox.onMail(() => this.#schedule())
  }

  /** The instance that is up now; it changes with every restart. */
  get actor(): Actor<M> {
    return this.#actor
  }

  status(): CellStatus {
    return {
      name: this.spec.name,
      state: this.#state,
      queued: this.mailbox.queued,
      occupied: this.mailbox.occupied,
      capacity: this.mailbox.spec.capacity,
      refused: this.mailbox.refused,
      restarts: this.#restarts,
      deadLetters: { ...this.#deadLetters },
    }
  }

  /** Resolves when nothing is queued and no `receive` is under way; held places may still be occupied. */
  idle(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve))
  }

  /** Resolves when the instance that is up has drained and the mailbox is empty; one that was built meanwhile is drained too. */
  async drain(): Promise<void> {
    for (let drained: Actor<M> | undefined; drained !== this.#actor; ) {
      drained = this.#actor
      await drained.drain?.()
      await this.idle()
    }
  }

  /** What is queued then, or comes later, is not received and keeps its place: producers run out of room rather than lose more. */
  close(): Promise<void> {
    this.#closed ??= this.#end()
    return this.#closed
  }

  async #end(): Promise<void> {
    this.#state = 'closed'
    this.#backoff?.cancel()
    try {
      await this.#closeActor()
    } finally {
      this.#wakeIdle()
    }
  }

  #closeActor(): Promise<void> {
    const actor = this.#actor
    this.#actorClosed ??= (async () => actor.close?.())()
    return this.#actorClosed
  }

  #isIdle(): boolean {
    return this.#state === 'closed' || (!this.#busy && this.mailbox.queued === 0 && this.#retry.length === 0)
  }

  #schedule(): void {
    if (this.#busy || this.#state !== 'up') return
    this.#busy = true
    this.#deps.scheduler.runActor(() => void this.#receiveNext())
  }

  /** Without waiting when `receive` does not: what it caused leaves in the same pass. */
  async #receiveNext(): Promise<void> {
    if (this.#state !== 'up') {
      this.#busy = false
      return
    }
    const work = this.#retry.shift() ?? this.mailbox.take(this.spec.batch)
    try {
      const receiving = this.#actor.receive(work.messages, work.slots)
      if (receiving) await receiving
      if (this.spec.slots === 'auto') freeAll(work.slots)
      this.#failuresInARow = 0
    } catch (error) {
      this.#fail(work, error)
    }
    this.#next()
  }

  #next(): void {
    this.#busy = false
    if (this.#state !== 'up') return
    if (this.#retry.length > 0 || this.mailbox.queued > 0) this.#schedule()
    else this.#wakeIdle()
  }

  #fail(work: Work<M>, error: unknown): void {
    if (this.#retried.has(work) || this.#state === 'closed') this.#deadLetter(work, error)
    else this.#retry.push(...oneByOne(work, this.#retried))
    this.#restart(error)
  }

  #deadLetter({ messages, slots }: Work<M>, error: unknown): void {
    for (const message of messages) {
      this.#deadLetters[message.kind] = (this.#deadLetters[message.kind] ?? 0) + 1
      this.#deps.report.deadLetter(this.spec.name, message.kind, this.#notifyActor(message, error))
    }
    freeAll(slots)
  }

  /** What is to be reported. */
  #notifyActor(message: M, error: unknown): unknown {
    try {
      this.#actor.deadLetter?.(message, error)
      return error
    } catch (another) {
      return new AggregateError([error, another], 'a dead letter of which nobody could be told')
    }
  }

  /** Closes the failed instance at once: it must not act during the backoff. */
  #restart(error: unknown): void {
    if (this.#state === 'closed') return
    this.#state = 'restarting'
    this.#failuresInARow++
    this.#closeActor().catch(() => {})
    const delayMs = restartDelayMs(this.#failuresInARow, this.#deps.restarts ?? RESTARTS)
    this.#backoff = this.#deps.clock.setTimer(delayMs, () => void this.#rebuild())
    this.#deps.report.failed(this.spec.name, error, delayMs)
  }

  async #rebuild(): Promise<void> {
    await this.#closeActor().catch((error) => {
      this.#actorClosed = Promise.resolve()
      this.#deps.report.failed(this.spec.name, error, 0)
    })
    if (this.#state !== 'restarting') return
    try {
      this.#actor = this.spec.build()
    } catch (error) {
      this.#restart(error)
      return
    }
    this.#actorClosed = undefined
    this.#retry = this.#retry.filter(({ slots }) => slots.some(({ freed: settled }) => !settled))
    this.#restarts++
    this.#state = 'up'
    this.#next()
  }

  #wakeIdle(): void {
    const waiters = this.#idleWaiters
    this.#idleWaiters = []
    for (const resolve of waiters) resolve()
  }
}

function freeAll(slots: readonly Slot[]): void {
  for (const slot of slots) slot.free()
}

function oneByOne<M>({ messages, slots }: Work<M>, retried: WeakSet<Work<M>>): Work<M>[] {
  return messages.map((message, at) => {
    const work = { messages: [message], slots: slots.slice(at, at + 1) }
    retried.add(work)
    return work
  })
}
