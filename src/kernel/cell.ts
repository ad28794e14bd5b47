import { type Backoff, backoffMs } from '../domain/delivery/backoff.ts'
import type { Clock, Timer } from './clock.ts'
import { Mailbox, type MailboxSpec, type Slot, type TakenSlot } from './mailbox.ts'
import type { TurnScheduler } from './turn-scheduler.ts'

/** A message; `kind` is a string literal. */
export interface Message {
  readonly kind: string
}

/** Handles messages in batches, one batch at a time. */
export interface Actor<M extends Message> {
  /**
   * Slots are parallel to `batch`. With `slots: 'held'` the actor frees each one when its message is done; otherwise
   * the cell frees all of them when `receive` returns or resolves. When it throws, messages whose slots are free are
   * not received again.
   */
  receive(batch: readonly M[], slots: readonly Slot[]): void | Promise<void>
  /** Called for a message that threw twice. Answer its sender here. */
  deadLetter?(message: M, error: unknown): void
  /**
   * Starts no more work and gives back work that was not started. Resolves when started work has ended and is recorded.
   */
  drain?(): Promise<void>
  /** Drops timers and connections. Called once, when the actor failed or ends; its successor is built after it. */
  close?(): void | Promise<void>
}

export interface ActorSpec<M extends Message> {
  readonly name: string
  readonly mailbox: MailboxSpec
  /** Maximum number of messages in one `receive`. */
  readonly batch: number
  readonly slots: 'auto' | 'held'
  /** Least time from the end of one `receive` to the next one, in which mail gathers; absent: none. */
  readonly pauseMs?: number
  /** Called at the start and after each failure. State that must survive a failure is kept outside. */
  build(): Actor<M>
}

/** Receives the failures of cells. */
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

const RESTARTS: Backoff = { initialMs: 50, maxMs: 5_000 }

interface CellDeps {
  readonly clock: Clock
  readonly scheduler: TurnScheduler
  readonly report: CellReport
  readonly restarts?: Backoff
}

interface Work<M> {
  readonly messages: readonly M[]
  readonly slots: readonly TakenSlot[]
}

/**
 * One supervised actor with its mailbox. When `receive` throws, the cell closes the actor at once and builds a new one
 * after a backoff. Each message of that batch is then received once more, alone; one that throws again is a dead
 * letter, counted by kind.
 *
 * - up: mail is received; leaves to restarting when `receive` throws, to closed
 * - restarting: mail is queued; leaves to up when the new actor is built, stays here when building throws; leaves to
 *   closed
 * - closed: mail is queued and never received
 */
export class Cell<M extends Message> {
  readonly spec: ActorSpec<M>
  readonly mailbox: Mailbox<M>
  readonly #deps: CellDeps
  #actor: Actor<M>
  #state: CellStatus['state'] = 'up'
  #busy = false
  #retry: Work<M>[] = []
  /** Batches of one message that threw before. */
  readonly #retried = new WeakSet<Work<M>>()
  #failuresInARow = 0
  #restarts = 0
  #deadLetters: { [kind: string]: number } = {}
  #idleWaiters: (() => void)[] = []
  #pause: Timer | undefined
  #backoff: Timer | undefined
  /** Set once the current actor is being closed. */
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

  /** Resolves when no mail is queued and no `receive` runs. Held slots may still be occupied. */
  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve()
    const idle = new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
    this.#endPause()
    return idle
  }

  /** Resolves when the actor has drained and the mailbox is empty. An actor that is built meanwhile is drained too. */
  async drain(): Promise<void> {
    for (let drained: Actor<M> | undefined; drained !== this.#actor; ) {
      drained = this.#actor
      await drained.drain?.()
      await this.idle()
    }
  }

  /** Closes the actor. Queued and later mail keeps its slots: producers run out of room instead of losing messages. */
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

  /** Does not await a synchronous `receive`, so that the messages it sends leave in the same pass. */
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
      const { pauseMs = 0 } = this.spec
      // No pause while `idle` waits for the end of the mail: more would come during it.
      if (pauseMs > 0 && this.#idleWaiters.length === 0) {
        this.#pause = this.#deps.clock.setTimer(pauseMs, () => this.#endPause())
        return
      }
    } catch (error) {
      this.#fail(work, error)
    }
    this.#next()
  }

  #endPause(): void {
    if (this.#pause === undefined) return
    this.#pause.cancel()
    this.#pause = undefined
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

  /** Returns the error to report. */
  #notifyActor(message: M, error: unknown): unknown {
    try {
      this.#actor.deadLetter?.(message, error)
      return error
    } catch (another) {
      return new AggregateError([error, another], 'the actor threw at a dead letter')
    }
  }

  /** Closes the failed actor at once: it must not act during the backoff. */
  #restart(error: unknown): void {
    if (this.#state === 'closed') return
    this.#state = 'restarting'
    this.#failuresInARow++
    this.#closeActor().catch(() => {})
    const delayMs = backoffMs(this.#failuresInARow, this.#deps.restarts ?? RESTARTS)
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
    this.#retry = this.#retry.filter(({ slots }) => slots.some(({ freed }) => !freed))
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
