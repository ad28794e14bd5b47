import type { Destination } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch, Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { NoticeSubject } from '../../src/domain/delivery/notice.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Turn } from '../../src/store/ports/turn.ts'
import type { Store } from '../../src/store/store.ts'
import type { Deliver } from '../messages/storage-send.ts'
import { createInFlightWindow } from './in-flight-window.ts'

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
export function createDispatcher(outbox: Store['outbox'], deps: DispatcherDeps) {
  const { senders, maxInFlightBytes, mayDispatch, noticesStuck } = deps
  const inFlight = createInFlightWindow(maxInFlightBytes, (to) => (mayDispatch(to) ? (senders.get(to)?.room ?? 0) : 0))
  let known: readonly NoticeSubject[] = []

  /** Returns the room of each sender that has any. */
  function capacity(): Turn['capacity'] {
    const rooms = Array.from(senders.keys(), (to) => [to, inFlight.remaining(to)] as const)
    return new Map(rooms.filter(([, { slots }]) => slots > 0))
  }

  return {
    /** Frees what the senders held: the settled dispatches, or all of them when the senders died. */
    release(settlements: readonly Settlement[], sendersLost: boolean): void {
      if (sendersLost) inFlight.clear()
      for (const settlement of settlements) inFlight.release(settlement)
    },
    capacity,
    reportStuck(stuck: readonly NoticeSubject[]): void {
      for (const about of stuck) if (!known.includes(about)) noticesStuck(about)
      known = stuck
    },
    send(dispatches: readonly Dispatch[]): void {
      if (dispatches.length === 0) return
      const { buffer, packed } = packContents(dispatches)
      packed.forEach((dispatch, at) => {
        inFlight.add(dispatch)
        senders.get(dispatch.destination)?.tell({ kind: 'deliver', dispatch }, at === 0 ? [buffer] : undefined)
      })
    },
    /**
     * Returns the epoch milliseconds of the earliest dispatch, which may be past; Infinity when there is none. Leaves out
     * destinations whose sender has no free slot: the settlement that frees one begins a turn.
     */
    nextDueAt: (): number =>
      Math.min(outbox.nextDueAt('any'), ...Array.from(capacity().keys(), (to) => outbox.nextDueAt(to))),
  }
}

/** Copies the payloads of all dispatches into one buffer, which is transferred with the first of them. */
function packContents(dispatches: readonly Dispatch[]): {
  readonly buffer: ArrayBuffer
  readonly packed: readonly Dispatch[]
} {
  const all = new Uint8Array(dispatches.reduce((size, { content }) => size + (content?.length ?? 0), 0))
  let end = 0
  const packed = dispatches.map((dispatch): Dispatch => {
    if (dispatch.content === undefined) return dispatch
    all.set(dispatch.content, end)
    end += dispatch.content.length
    return { ...dispatch, content: all.subarray(end - dispatch.content.length, end) }
  })
  return { buffer: all.buffer, packed }
}
