import type { MessagePort } from 'node:worker_threads'
import { type PackedBatch, pack, unpack } from './batch-codec.ts'
import { CreditWindow } from './credit.ts'
import { Inlet } from './inlet.ts'
import type { Mailbox } from './mailbox.ts'
import type { Ref } from './ref.ts'
import type { TurnScheduler } from './turn-scheduler.ts'
import { callSafely } from './waiters.ts'

interface Tells {
  readonly to: string
  readonly window: number
  readonly packed: PackedBatch
}

/** The same before it is packed. */
interface Batch {
  readonly to: string
  readonly window: number
  readonly messages: readonly unknown[]
}

/** Everything that one side has for the other at the end of a turn. */
interface Frame {
  readonly tells: readonly Tells[]
  readonly credits: readonly Readonly<Credit>[]
}

/** So many places of the edge are free again. */
interface Credit {
  readonly to: string
  count: number
}

interface Outgoing extends Omit<Frame, 'tells'> {
  readonly batches: readonly Batch[]
}

interface Outlet {
  readonly window: CreditWindow
  readonly ref: Ref<unknown>
  batch: unknown[]
}

/** What a link counts of its own doing. */
export interface LinkCounts {
  framesPosted: number
  tellsPosted: number
  /** Tells for an actor or a place that does not exist: a fault in the wiring, never silent. */
  misdirected: number
  /** Tells that cannot cross a thread boundary (a function in it, a buffer already given away): a fault of the sender, never silent. */
  unsendable: number
  /** Frames of an earlier peer that came after its port was detached. */
  lateFrames: number
  /** Peer notices that found no place in an actor's mailbox; counted by the watcher. */
  lostNotices: number
}

/** Hears of a tell that was lost: for want of a place when `error` is absent, else because it could not be posted. */
export type OnLostTell = (to: string, error?: unknown) => void

/**
 * The edges between this thread and one peer thread, multiplexed over one MessagePort at a time. It outlives the peer: `attach` gives it the
 * next port, with every window full again, because a new peer starts with empty mailboxes. What was under way to the old peer is lost
 * to the link; owners that care watch it go down and up.
 *
 *     tell -> [window] -> outlet batch -> frame -> | port | -> inlet -> mailbox -> actor
 *     room <- [window] <-------- credits <- frame <- | port | <- place settled <----'
 */
export class Link {
  readonly peer: string
  readonly counts: LinkCounts = {
    framesPosted: 0,
    tellsPosted: 0,
    misdirected: 0,
    unsendable: 0,
    lateFrames: 0,
    lostNotices: 0,
  }
  readonly #scheduler: TurnScheduler
  readonly #outlets = new Map<string, Outlet>()
  readonly #inlets = new Map<string, Inlet<unknown>>()
  readonly #watchers: ((up: boolean) => void)[] = []
  #port: MessagePort | undefined
  #credits = new Map<string, Credit>()
  #transfer: ArrayBuffer[] = []
  #flushing = false
  #onLost: OnLostTell

  constructor(peer: string, scheduler: TurnScheduler, onLost: OnLostTell = () => {}) {
    this.peer = peer
    this.#scheduler = scheduler
    this.#onLost = onLost
  }

  /** A far actor. `window` places of its mailbox are reserved for this edge. Asked for again, it is the same edge with the same account. */
  outlet<M>(actor: string, window: number): Ref<M> {
    const known = this.#outlets.get(actor)
    if (known && known.window.capacity !== window) {
      throw new RangeError(`the edge to ${actor} has a window of ${known.window.capacity}, not ${window}`)
    }
    return (known ?? this.#newOutlet(actor, window)).ref
  }

  /** Lets the peer's tells for `actor` into its mailbox here. */
  inlet<M>(actor: string, mailbox: Mailbox<M>): void {
    const known = this.#inlets.get(actor)
    if (known && known.mailbox !== mailbox) throw new Error(`the edge from ${this.peer} to ${actor} has its mailbox`)
    if (!known)
      this.#inlets.set(actor, new Inlet(mailbox as unknown as Mailbox<unknown>, () => this.#misdirected(actor)))
  }

  /** Told `false` when the peer is gone and `true` when the next one is attached: then there is room, and nobody has used it yet. */
  watch(watcher: (up: boolean) => void): void {
    this.#watchers.push(watcher)
  }

  get up(): boolean {
    return this.#port !== undefined
  }

  attach(port: MessagePort): void {
    this.detach()
    this.#port = port
    port.on('message', (frame: Frame) => this.#receive(port, frame))
    port.on('messageerror', (error) => {
      throw new Error(`a frame from ${this.peer} could not be read`, { cause: error })
    })
    port.on('close', () => this.#port === port && this.detach())
    for (const { window } of this.#outlets.values()) window.reopen()
    this.#tellWatchers(true)
    for (const { window } of this.#outlets.values()) window.wake()
  }

  detach(): void {
    if (!this.#port) return
    const port = this.#port
    this.#port = undefined
    port.close()
    this.#credits = new Map()
    this.#transfer = []
    for (const inlet of this.#inlets.values()) inlet.dropParked()
    for (const outlet of this.#outlets.values()) {
      outlet.batch = []
      outlet.window.shut()
    }
    this.#tellWatchers(false)
  }

  #tellWatchers(up: boolean): void {
    for (const watcher of this.#watchers) callSafely(() => watcher(up))
  }

  #newOutlet(actor: string, capacity: number): Outlet {
    const window = new CreditWindow(capacity)
    if (!this.#port) window.shut()
    const outlet: Outlet = {
      window,
      batch: [],
      ref: {
        name: actor,
        tell: (message, transfer) => this.#tell(outlet, message, transfer),
        get room() {
          return window.room
        },
        whenRoom: (resume) => window.whenRoom(resume),
        whenIdle: (resume) => window.whenIdle(resume),
        get outstanding() {
          return window.spent
        },
        get refused() {
          return window.refused
        },
      },
    }
    this.#outlets.set(actor, outlet)
    return outlet
  }

  #tell(outlet: Outlet, message: unknown, transfer: readonly ArrayBuffer[] | undefined): boolean {
    if (!outlet.window.spend()) return false
    outlet.batch.push(message)
    if (transfer) this.#transfer.push(...transfer)
    this.#flushLater()
    return true
  }

  #receive(port: MessagePort, { tells, credits }: Frame): void {
    if (this.#port !== port) {
      this.counts.lateFrames++
      return
    }
    for (const { to, count } of credits) this.#outlets.get(to)?.window.refund(count)
    for (const { to, window, packed } of tells) {
      const inlet = this.#inlets.get(to)
      const messages = unpack(packed)
      if (inlet) inlet.take(messages, window, this.#creditOnFree(port, to))
      else for (const _ of messages) this.#misdirected(to)
    }
  }

  /** To be called for each place that is freed. One that was taken through an earlier port owes the new peer nothing. */
  #creditOnFree(port: MessagePort, to: string): () => void {
    const credit = this.#credits.get(to) ?? { to, count: 0 }
    this.#credits.set(to, credit)
    return () => {
      if (this.#port !== port) return
      credit.count++
      this.#flushLater()
    }
  }

  #misdirected(to: string): void {
    this.counts.misdirected++
    callSafely(() => this.#onLost(to))
  }

  #flushLater(): void {
    if (this.#flushing) return
    this.#flushing = true
    this.#scheduler.flushLink(() => this.#flush())
  }

  #flush(): void {
    this.#flushing = false
    if (!this.#port) return
    const batches: Batch[] = []
    for (const [to, outlet] of this.#outlets) {
      if (outlet.batch.length === 0) continue
      batches.push({ to, window: outlet.window.capacity, messages: outlet.batch })
      outlet.batch = []
    }
    const credits = this.#takeCredits()
    const transfer = [...new Set(this.#transfer)]
    this.#transfer = []
    if (batches.length === 0 && credits.length === 0) return
    try {
      this.#post(this.#port, { batches, credits }, transfer)
    } catch {
      this.#postApart(this.#port, { batches, credits })
    }
  }

  #takeCredits(): Credit[] {
    const taken: Credit[] = []
    for (const credit of this.#credits.values()) {
      if (credit.count === 0) continue
      taken.push({ ...credit })
      credit.count = 0
    }
    return taken
  }

  #post(port: MessagePort, { batches, credits }: Outgoing, transfer: readonly ArrayBuffer[] = []): void {
    const tells = batches.map(({ to, window, messages }) => ({ to, window, packed: pack(messages) }))
    port.postMessage({ tells, credits } satisfies Frame, transfer)
    this.counts.framesPosted++
    for (const { messages } of batches) this.counts.tellsPosted += messages.length
  }

  /**
   * One bad message, or one buffer that cannot be moved, spoils a whole frame, and nothing of it has left then. So each goes on its own, in
   * order, its buffers copied; one that still cannot be posted is lost, its credit returns, and its fault is told.
   */
  #postApart(port: MessagePort, { batches, credits }: Outgoing): void {
    this.#post(port, { batches: [], credits })
    for (const { to, window, messages } of batches) {
      for (const message of messages) {
        try {
          this.#post(port, { batches: [{ to, window, messages: [message] }], credits: [] })
        } catch (error) {
          this.#unsendable(port, to, error)
        }
      }
    }
  }

  #unsendable(port: MessagePort, to: string, error: unknown): void {
    this.counts.unsendable++
    if (this.#port === port) this.#outlets.get(to)?.window.refund(1)
    callSafely(() => this.#onLost(to, error))
  }
}
