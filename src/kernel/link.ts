import type { MessagePort } from 'node:worker_threads'
import { CreditWindow } from './credit.ts'
import type { Mailbox } from './mailbox.ts'
import type { Ref } from './ref.ts'
import type { Turns } from './turns.ts'

/** Everything that one side has for the other at the end of a turn. */
interface Frame {
  readonly tells: readonly { readonly to: string; readonly batch: readonly unknown[] }[]
  readonly credits: readonly { readonly to: string; readonly count: number }[]
}

interface Outlet {
  readonly window: CreditWindow
  batch: unknown[]
}

/** What a link counts of its own doing. */
export interface LinkCounts {
  framesPosted: number
  tellsPosted: number
  /** Tells for an actor or a place that does not exist: a fault in the wiring, never silent. */
  misdirected: number
}

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
  readonly counts: LinkCounts = { framesPosted: 0, tellsPosted: 0, misdirected: 0 }
  readonly #turns: Turns
  readonly #outlets = new Map<string, Outlet>()
  readonly #inlets = new Map<string, Mailbox<unknown>>()
  readonly #watchers: ((up: boolean) => void)[] = []
  #port: MessagePort | undefined
  #credits = new Map<string, number>()
  #transfer: ArrayBuffer[] = []
  #flushing = false
  #onMisdirected: (to: string) => void

  constructor(peer: string, turns: Turns, onMisdirected: (to: string) => void = () => {}) {
    this.peer = peer
    this.#turns = turns
    this.#onMisdirected = onMisdirected
  }

  /** A far actor. `window` places of its mailbox are reserved for this edge. */
  outlet<M>(actor: string, window: number): Ref<M> {
    const outlet: Outlet = { window: new CreditWindow(window), batch: [] }
    if (!this.#port) outlet.window.shut()
    this.#outlets.set(actor, outlet)
    return {
      name: actor,
      tell: (message, transfer) => this.#tell(outlet, message, transfer),
      get room() {
        return outlet.window.room
      },
      whenRoom: (resume) => outlet.window.whenRoom(resume),
      whenIdle: (resume) => outlet.window.whenIdle(resume),
      get outstanding() {
        return outlet.window.spent
      },
      get refused() {
        return outlet.window.refused
      },
    }
  }

  /** Lets the peer's tells for `actor` into its mailbox here. */
  inlet<M>(actor: string, mailbox: Mailbox<M>): void {
    this.#inlets.set(actor, mailbox as unknown as Mailbox<unknown>)
  }

  /** Told `false` when the peer is gone and `true` when the next one is attached. */
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
    port.on('close', () => this.#port === port && this.detach())
    for (const { window } of this.#outlets.values()) window.reopen()
    for (const watcher of this.#watchers) watcher(true)
  }

  detach(): void {
    if (!this.#port) return
    const port = this.#port
    this.#port = undefined
    port.close()
    this.#credits = new Map()
    this.#transfer = []
    for (const outlet of this.#outlets.values()) {
      outlet.batch = []
      outlet.window.shut()
    }
    for (const watcher of this.#watchers) watcher(false)
  }

  #tell(outlet: Outlet, message: unknown, transfer: readonly ArrayBuffer[] | undefined): boolean {
    if (!outlet.window.spend()) return false
    outlet.batch.push(message)
    if (transfer) this.#transfer.push(...transfer)
    this.#flushLater()
    return true
  }

  #receive(port: MessagePort, frame: Frame): void {
    for (const { to, count } of frame.credits) this.#outlets.get(to)?.window.refund(count)
    for (const { to, batch } of frame.tells) {
      const mailbox = this.#inlets.get(to)
      for (const message of batch) if (!mailbox?.offer(message, () => this.#settled(port, to))) this.#misdirected(to)
    }
  }

  /** A place that was taken through an earlier port owes the new peer nothing. */
  #settled(port: MessagePort, to: string): void {
    if (this.#port !== port) return
    this.#credits.set(to, (this.#credits.get(to) ?? 0) + 1)
    this.#flushLater()
  }

  #misdirected(to: string): void {
    this.counts.misdirected++
    this.#onMisdirected(to)
  }

  #flushLater(): void {
    if (this.#flushing) return
    this.#flushing = true
    this.#turns.flushLink(() => this.#flush())
  }

  #flush(): void {
    this.#flushing = false
    if (!this.#port) return
    const tells = []
    for (const [to, outlet] of this.#outlets) {
      if (outlet.batch.length === 0) continue
      tells.push({ to, batch: outlet.batch })
      this.counts.tellsPosted += outlet.batch.length
      outlet.batch = []
    }
    const credits = Array.from(this.#credits, ([to, count]) => ({ to, count }))
    this.#credits.clear()
    const transfer = this.#transfer
    this.#transfer = []
    if (tells.length === 0 && credits.length === 0) return
    this.counts.framesPosted++
    this.#port.postMessage({ tells, credits } satisfies Frame, [...new Set(transfer)])
  }
}
