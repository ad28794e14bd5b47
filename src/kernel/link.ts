import type { MessagePort } from 'node:worker_threads'
import { type PackedBatch, pack, unpack } from './batch-codec.ts'
import { CreditWindow } from './credit.ts'
import { Inlet } from './inlet.ts'
import type { Mailbox } from './mailbox.ts'
import type { Ref } from './ref.ts'
import type { TurnScheduler } from './turn-scheduler.ts'
import { callSafely } from './waiters.ts'

/** Messages of one edge, as posted. */
interface Tells {
  readonly to: string
  readonly window: number
  readonly packed: PackedBatch
}

/** Messages of one edge, not packed yet. */
interface Batch {
  readonly to: string
  readonly window: number
  readonly messages: readonly unknown[]
}

/** Posted once a turn: all that this thread has for the peer. */
interface Frame {
  readonly tells: readonly Tells[]
  readonly credits: readonly Readonly<Credit>[]
}

/** Slots of an edge that were freed. */
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

/** Counters of a link since its start. */
export interface LinkCounts {
  framesPosted: number
  tellsPosted: number
  /** Messages for an unknown actor or a full mailbox: a bug in the wiring. `OnLostTell` is called for each. */
  misdirected: number
  /**
   * Messages that cannot be cloned or moved (a function, a detached buffer): a bug of the sender. `OnLostTell` is
   * called for each.
   */
  unsendable: number
  /** Frames of an earlier port that arrived after it was detached. */
  lateFrames: number
  /** Peer notices that found no slot in a mailbox; counted by the watcher. */
  lostNotices: number
}

/**
 * Called for each lost message: without `error` when it found no slot, else with the reason that it cannot be posted.
 */
export type OnLostTell = (to: string, error?: unknown) => void

/**
 * All edges between this thread and one peer thread, over one MessagePort at a time. A link outlives its peers.
 * Messages under way to a peer that goes down are lost; actors that must react watch the link.
 *
 * - down: no port and no credit; leaves to up with `attach`
 * - up: each window starts with full credit, because a new peer has empty mailboxes; leaves to down with `detach`, or
 *   when the port closes
 *
 *     tell -> [window] -> outlet batch -> frame -> | port | -> inlet -> mailbox -> actor
 *     room <- [window] <-------- credits <- frame <- | port | <- slot freed <-------'
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

  /**
   * Returns the ref of an actor on the peer thread. Later calls return the same ref.
   * @param window slots of the actor's mailbox that are reserved for this edge
   */
  outlet<M>(actor: string, window: number): Ref<M> {
    const known = this.#outlets.get(actor)
    if (known && known.window.capacity !== window) {
      throw new RangeError(`the edge to ${actor} has a window of ${known.window.capacity}, not ${window}`)
    }
    return (known ?? this.#newOutlet(actor, window)).ref
  }

  /** Delivers the peer's messages for `actor` to `mailbox`. */
  inlet<M>(actor: string, mailbox: Mailbox<M>): void {
    const known = this.#inlets.get(actor)
    if (known && known.mailbox !== mailbox) throw new Error(`the edge from ${this.peer} to ${actor} has its mailbox`)
    if (!known)
      this.#inlets.set(actor, new Inlet(mailbox as unknown as Mailbox<unknown>, () => this.#misdirected(actor)))
  }

  /**
   * Calls `watcher` with false when the link goes down, and with true when it is up, before waiters for room are
   * resumed.
   */
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
    this.#notifyWatchers(true)
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
    this.#notifyWatchers(false)
  }

  #notifyWatchers(up: boolean): void {
    for (const watcher of this.#watchers) callSafely(() => watcher(up))
  }

  #newOutlet(actor: string, capacity: number): Outlet {
    const window = new CreditWindow(capacity)
    if (!this.#port) window.shut()
    const outlet: Outlet = {
      window,
      batch: [],
      ref: {
        tell: (message, transfer) => this.#tell(outlet, message, transfer),
        get room() {
          return window.room
        },
        whenRoom: (resume) => window.whenRoom(resume),
        whenIdle: (resume) => window.whenIdle(resume),
        get outstanding() {
          return window.spent
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

  /**
   * Returns a callback for each freed slot. Slots that were taken through an earlier port refund nothing to the new
   * peer.
   */
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
   * Posts each message of a frame alone, in order, with its buffers copied: one message that cannot be cloned, or one
   * buffer that cannot be moved, fails the whole frame before anything of it is sent. A message that fails again is
   * lost, its credit is refunded, and `OnLostTell` is called.
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
