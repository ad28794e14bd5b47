import type { Dispatch, Settlement } from '../../src/domain/commit.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'

/**
 * What the senders hold, in places and bytes, so that storage hands out no more than they have room for. Places are the senders' own count
 * (`placesOf`); bytes are kept here. Claims of a write that is undone are forgotten by the next `begin`.
 */
export class InFlightWindow {
  readonly #maxBytes: number
  readonly #slotsOf: (channel: ChannelName) => number
  readonly #held = new Map<ChannelName, { readonly sizes: Map<number, number>; bytes: number }>()
  #reserved = new Map<ChannelName, { slots: number; bytes: number }>()

  /** `maxBytes`: most payload that one sender may hold, but one delivery always goes. */
  constructor(maxBytes: number, slotsOf: (channel: ChannelName) => number) {
    this.#maxBytes = maxBytes
    this.#slotsOf = slotsOf
  }

  beginTurn(): void {
    this.#reserved = new Map()
  }

  /** Reserves a place within this turn; false when the sender has none. */
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

  /** The senders are gone, and what they held with them. */
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

/** Contents of all hand-outs in one buffer, to be transferred with the first of them. */
export function packContents(dispatches: readonly Dispatch[]): {
  readonly buffer: ArrayBuffer
  readonly packed: readonly Dispatch[]
} {
  const all = new Uint8Array(dispatches.reduce((size, { content }) => size + content.length, 0))
  let end = 0
  const packed = dispatches.map((dispatch) => {
    all.set(dispatch.content, end)
    end += dispatch.content.length
    return { ...dispatch, content: all.subarray(end - dispatch.content.length, end) }
  })
  return { buffer: all.buffer, packed }
}
