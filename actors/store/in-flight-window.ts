import type { Dispatch, Settlement } from '../../src/domain/commit.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'

/**
 * Window of dispatches that each sender may hold, in slots and bytes. Slots are counted by the sender's ref
 * (`slotsOf`), bytes here. Slots reserved by a transaction that was undone are forgotten by the next `beginTurn`.
 */
export class InFlightWindow {
  readonly #maxBytes: number
  readonly #slotsOf: (channel: ChannelName) => number
  readonly #held = new Map<ChannelName, { readonly sizes: Map<number, number>; bytes: number }>()
  #reserved = new Map<ChannelName, { slots: number; bytes: number }>()

  /**
   * `maxBytes`: bound of the payloads that one sender holds; a single larger one goes when the sender holds nothing
   * else.
   */
  constructor(maxBytes: number, slotsOf: (channel: ChannelName) => number) {
    this.#maxBytes = maxBytes
    this.#slotsOf = slotsOf
  }

  beginTurn(): void {
    this.#reserved = new Map()
  }

  /** Reserves a slot until the turn ends; false when the sender has none. */
  reserve(channel: ChannelName, bytes: number): boolean {
    const remaining = this.remaining(channel)
    if (remaining.slots < 1 || (bytes > remaining.maxBytes && !this.#isEmpty(channel))) return false
    const reserved = this.#reservedOf(channel)
    reserved.slots++
    reserved.bytes += bytes
    return true
  }

  remaining(channel: ChannelName): { slots: number; maxBytes: number } {
    const reserved = this.#reserved.get(channel)
    const bytes = (this.#held.get(channel)?.bytes ?? 0) + (reserved?.bytes ?? 0)
    if (bytes >= this.#maxBytes) return { slots: 0, maxBytes: 0 }
    return { slots: this.#slotsOf(channel) - (reserved?.slots ?? 0), maxBytes: this.#maxBytes - bytes }
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

  #isEmpty(channel: ChannelName): boolean {
    return (this.#held.get(channel)?.sizes.size ?? 0) === 0 && !this.#reserved.has(channel)
  }

  #reservedOf(channel: ChannelName) {
    const reserved = this.#reserved.get(channel) ?? { slots: 0, bytes: 0 }
    this.#reserved.set(channel, reserved)
    return reserved
  }
}
