import type { Dispatch, Settlement } from '../../src/domain/commit.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import type { Room } from '../../src/store/ports/turn.ts'

/**
 * Window of dispatches that each sender may hold, in slots and bytes. Slots are counted by the sender's ref
 * (`slotsOf`), bytes here.
 */
export class InFlightWindow {
  readonly #maxBytes: number
  readonly #slotsOf: (channel: ChannelName) => number
  readonly #held = new Map<ChannelName, { readonly sizes: Map<number, number>; bytes: number }>()

  /**
   * `maxBytes`: bound of the payloads that one sender holds; the last one may exceed it.
   */
  constructor(maxBytes: number, slotsOf: (channel: ChannelName) => number) {
    this.#maxBytes = maxBytes
    this.#slotsOf = slotsOf
  }

  remaining(channel: ChannelName): Room {
    const bytes = this.#maxBytes - (this.#held.get(channel)?.bytes ?? 0)
    return bytes > 0 ? { slots: this.#slotsOf(channel), bytes } : NO_ROOM
  }

  add({ channel, incident, content }: Dispatch): void {
    const held = this.#held.get(channel) ?? { sizes: new Map(), bytes: 0 }
    held.sizes.set(incident, content.length)
    held.bytes += content.length
    this.#held.set(channel, held)
  }

  release({ channel, incident }: Settlement): void {
    const held = this.#held.get(channel)
    if (!held) return
    held.bytes -= held.sizes.get(incident) ?? 0
    held.sizes.delete(incident)
  }

  /** Forgets what all senders held, after their thread died. */
  clear(): void {
    this.#held.clear()
  }
}

const NO_ROOM: Room = { slots: 0, bytes: 0 }
