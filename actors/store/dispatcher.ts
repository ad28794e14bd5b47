import type { Dispatch, Settlement } from '../../src/domain/commit.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import type { NoticeSubject } from '../../src/domain/notice.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Turn } from '../../src/store/ports/turn.ts'
import type { Store } from '../../src/store/store.ts'
import type { Deliver } from '../messages/storage-send.ts'
import { InFlightWindow } from './in-flight-window.ts'
import { packContents } from './pack-contents.ts'

export interface DispatcherDeps {
  /**
   * One for each enabled channel. All lead over one link, because the dispatches of a turn share one transferred
   * buffer.
   */
  readonly senders: ReadonlyMap<ChannelName, Ref<Deliver>>
  /** Bound of the payloads that one sender holds, in bytes. */
  readonly maxInFlightBytes: number
  readonly clock: Clock
  /** False while the channel is paused or the senders are being drained: due deliveries stay pending. */
  mayDispatch(to: ChannelName | 'oncall'): boolean
  /** Called once when a notice is due and no channel is known to work that could carry it. */
  noticesStuck(about: NoticeSubject): void
}

/** Leases deliveries to the senders, no more than they have room for, and sends them once the lease is durable. */
export class Dispatcher {
  readonly #outbox: Store['outbox']
  readonly #deps: DispatcherDeps
  readonly #inFlight: InFlightWindow
  #stuck: readonly NoticeSubject[] = []

  constructor(outbox: Store['outbox'], deps: DispatcherDeps) {
    const { senders, maxInFlightBytes } = deps
    this.#outbox = outbox
    this.#deps = deps
    this.#inFlight = new InFlightWindow(maxInFlightBytes, (channel) =>
      deps.mayDispatch(channel) ? (senders.get(channel)?.room ?? 0) : 0,
    )
  }

  /** Frees what the senders held: the settled dispatches, or all of them when the senders died. */
  release(settlements: readonly Settlement[], sendersLost: boolean): void {
    if (sendersLost) this.#inFlight.clear()
    for (const settlement of settlements) this.#inFlight.release(settlement)
  }

  /** Returns what each sender may be handed in a turn. */
  capacity(): Turn['capacity'] {
    return new Map(Array.from(this.#deps.senders.keys(), (channel) => [channel, this.#inFlight.remaining(channel)]))
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
      const message: Deliver = { kind: 'deliver', dispatch }
      this.#deps.senders.get(dispatch.channel)?.tell(message, at === 0 ? [buffer] : undefined)
    })
  }

  /**
   * Returns the epoch milliseconds of the earliest dispatch, which may be past; Infinity when there is none. Leaves out
   * channels whose sender has no free slot: the settlement that frees one begins a turn.
   */
  nextDueAt(): number {
    let earliest = this.#outbox.nextNoticeAt() ?? Infinity
    for (const channel of this.#deps.senders.keys()) {
      const dueAt = this.#inFlight.remaining(channel).slots > 0 ? this.#outbox.nextDueAt(channel) : undefined
      if (dueAt !== undefined) earliest = Math.min(earliest, dueAt)
    }
    return earliest
  }
}
