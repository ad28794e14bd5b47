import type { ChannelName } from '../../domain/delivery.ts'
import type { Room } from '../ports/turn.ts'

/** Room of the senders that is left in one transaction. */
export class Rooms {
  readonly #left: Map<ChannelName, { slots: number; bytes: number; used: boolean }>

  constructor(capacity: ReadonlyMap<ChannelName, Room>) {
    this.#left = new Map(
      Array.from(capacity, ([channel, { slots, bytes }]) => [channel, { slots, bytes, used: false }]),
    )
  }

  /** Takes a slot; false when the sender has none, or no room for so many bytes. */
  take(channel: ChannelName, bytes: number): boolean {
    const left = this.#left.get(channel)
    if (left === undefined || left.slots < 1 || left.bytes < 1 || (left.used && bytes > left.bytes)) return false
    left.slots--
    left.bytes -= bytes
    left.used = true
    return true
  }

  left(channel: ChannelName): Room {
    const left = this.#left.get(channel)
    return left === undefined || left.bytes < 1 ? NO_ROOM : left
  }
}

const NO_ROOM: Room = { slots: 0, bytes: 0 }
