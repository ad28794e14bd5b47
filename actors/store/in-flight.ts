import type { Handout, Settlement } from '../../src/domain/commit.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'

/**
 * What the senders hold, in places and bytes, so that storage hands out no more than they have room for. Places are the senders' own count
 * (`placesOf`); bytes are kept here. Claims of a write that is undone are forgotten by the next `begin`.
 */
export class HandedOut {
  readonly #maxBytes: number
  readonly #placesOf: (channel: ChannelName) => number
  readonly #held = new Map<ChannelName, { readonly sizes: Map<number, number>; bytes: number }>()
  #claimed = new Map<ChannelName, { places: number; bytes: number }>()

  /** `maxBytes`: most payload that one sender may hold, but one delivery always goes. */
  constructor(maxBytes: number, placesOf: (channel: ChannelName) => number) {
    this.#maxBytes = maxBytes
    this.#placesOf = placesOf
  }

  begin(): void {
    this.#claimed = new Map()
  }

  /** Reserves a place within this turn; false when the sender has none. */
  claim(channel: ChannelName, bytes: number): boolean {
    const left = this.left(channel)
    if (left.places < 1 || (bytes > left.maxBytes && !this.#isEmpty(channel))) return false
    const claimed = this.#claimedOf(channel)
    claimed.places++
    claimed.bytes += bytes
    return true
  }

  left(channel: ChannelName): { places: number; maxBytes: number } {
    const claimed = this.#claimed.get(channel)
    const bytes = (this.#held.get(channel)?.bytes ?? 0) + (claimed?.bytes ?? 0)
    if (bytes >= this.#maxBytes) return { places: 0, maxBytes: 0 }
    return { places: this.#placesOf(channel) - (claimed?.places ?? 0), maxBytes: this.#maxBytes - bytes }
  }

  hold({ channel, incident, content }: Handout): void {
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
    return (this.#held.get(channel)?.sizes.size ?? 0) === 0 && !this.#claimed.has(channel)
  }

  #claimedOf(channel: ChannelName) {
    const claimed = this.#claimed.get(channel) ?? { places: 0, bytes: 0 }
    this.#claimed.set(channel, claimed)
    return claimed
  }
}

/** Contents of all hand-outs in one buffer, to be transferred with the first of them. */
export function packContents(handouts: readonly Handout[]): {
  readonly buffer: ArrayBuffer
  readonly packed: readonly Handout[]
} {
  const all = new Uint8Array(handouts.reduce((size, { content }) => size + content.length, 0))
  let end = 0
  const packed = handouts.map((handout) => {
    all.set(handout.content, end)
    end += handout.content.length
    return { ...handout, content: all.subarray(end - handout.content.length, end) }
  })
  return { buffer: all.buffer, packed }
}
