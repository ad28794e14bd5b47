import type { Destination } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch, Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { NoticeSubject } from '../../src/domain/delivery/notice.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Capacity } from '../../src/store/ports/outbox.ts'
import type { Turn } from '../../src/store/ports/turn.ts'
import type { Store } from '../../src/store/store.ts'
import type { Deliver } from '../messages/storage-send.ts'
import { InFlightWindow } from './in-flight-window.ts'
import { packContents } from './pack-contents.ts'

export interface DispatcherDeps {
  /**
   * One for each enabled channel, and the pager. All lead over one link, because the dispatches of a turn share one
   * transferred buffer.
   */
  readonly senders: ReadonlyMap<Destination, Ref<Deliver>>
  /** Bound of the payloads that one sender holds, in bytes. */
  readonly maxInFlightBytes: number
  /** False while the channel is paused or the senders are being drained: what is due stays pending. */
  mayDispatch(to: Destination): boolean
  /** Called once when a notice is due and no channel is known to work that could carry it. */
  noticesStuck(about: NoticeSubject): void
}

/** Leases what is due to the senders, no more than they have room for, and sends them once the lease is durable. */
export class Dispatcher {
  readonly #outbox: Store['outbox']
  readonly #deps: DispatcherDeps
  readonly #inFlight: InFlightWindow
  #stuck: readonly NoticeSubject[] = []

  constructor(outbox: Store['outbox'], deps: DispatcherDeps) {
    const { senders, maxInFlightBytes } = deps
    this.#outbox = outbox
    this.#deps = deps
    this.#inFlight = new InFlightWindow(maxInFlightBytes, (to) =>
      deps.mayDispatch(to) ? (senders.get(to)?.room ?? 0) : 0,
    )
  }

  /** Frees what the senders held: the settled dispatches, or all of them when the senders died. */
  release(settlements: readonly Settlement[], sendersLost: boolean): void {
    if (sendersLost) this.#inFlight.clear()
    for (const settlement of settlements) this.#inFlight.release(settlement)
  }

  /** Room of each sender that has any. */
  capacity(): Turn['capacity'] {
    const capacity = new Map<Destination, Capacity>()
    for (const to of this.#deps.senders.keys()) {
      const remaining = this.#inFlight.remaining(to)
      if (remaining.slots > 0) capacity.set(to, remaining)
    }
    return capacity
  }

  reportStuck(stuck: readonly NoticeSubject[]): void {
    for (const about of stuck) if (!this.#stuck.includes(about)) this.#deps.noticesStuck(about)
    this.#stuck = stuck
  }

  send(dispatches: readonly Dispatch[]): void {
    if (dispatches.length === 0) return
    const { buffer, packed } = packContents(dispatches)
    packed.forEach((dispatch, at) => {
      this.#inFlight.add(dispatch)
      this.#deps.senders.get(dispatch.destination)?.tell({ kind: 'deliver', dispatch }, at === 0 ? [buffer] : undefined)
    })
  }

  /**
   * Returns the epoch milliseconds of the earliest dispatch, which may be past; Infinity when there is none. Leaves out
   * destinations whose sender has no free slot: the settlement that frees one begins a turn.
   */
  nextDueAt(): number {
    const earliest = this.#outbox.nextDueAt('any')
    return Math.min(earliest, ...Array.from(this.capacity().keys(), (to) => this.#outbox.nextDueAt(to)))
  }
}
