import type { Destination } from '../../src/domain/delivery.ts'
import type { Dispatch, Settlement } from '../../src/domain/dispatch.ts'

/**
 * Window of dispatches that each sender may hold, in slots and bytes. Slots are counted by the sender's ref
 * (`slotsOf`), bytes here. Slots reserved by a transaction that was undone are forgotten by the next `beginTurn`.
 */
export class InFlightWindow {
  readonly #maxBytes: number
  readonly #slotsOf: (to: Destination) => number
  readonly #held = new Map<Destination, { readonly sizes: Map<number, number>; bytes: number }>()
  #reserved = new Map<Destination, { slots: number; bytes: number }>()

  /**
   * `maxBytes`: bound of the payloads that one sender holds; a single larger one goes when the sender holds nothing
   * else.
   */
  constructor(maxBytes: number, slotsOf: (to: Destination) => number) {
    this.#maxBytes = maxBytes
    this.#slotsOf = slotsOf
  }

  beginTurn(): void {
    this.#reserved = new Map()
  }

  /** Reserves a slot until the turn ends; false when the sender has none. */
  reserve(to: Destination, bytes: number): boolean {
    const remaining = this.remaining(to)
    if (remaining.slots < 1 || (bytes > remaining.maxBytes && !this.#isEmpty(to))) return false
    const reserved = this.#reservedOf(to)
    reserved.slots++
    reserved.bytes += bytes
    return true
  }

  remaining(to: Destination): { slots: number; maxBytes: number } {
    const reserved = this.#reserved.get(to)
    const bytes = (this.#held.get(to)?.bytes ?? 0) + (reserved?.bytes ?? 0)
    if (bytes >= this.#maxBytes) return { slots: 0, maxBytes: 0 }
    return { slots: this.#slotsOf(to) - (reserved?.slots ?? 0), maxBytes: this.#maxBytes - bytes }
  }

  /** Notices and follow-ups have no payload, and an incident has one delivery or page for a destination. */
  add({ kind, destination, incident, content }: Dispatch): void {
    if (kind === 'notice' || kind === 'follow-up') return
    const held = this.#held.get(destination) ?? { sizes: new Map(), bytes: 0 }
    const bytes = content?.length ?? 0
    held.sizes.set(incident, bytes)
    held.bytes += bytes
    this.#held.set(destination, held)
  }

  release({ kind, destination, incident }: Settlement): void {
    const held = this.#held.get(destination)
    if (!held || kind === 'notice' || kind === 'follow-up') return
    held.bytes -= held.sizes.get(incident) ?? 0
    held.sizes.delete(incident)
  }

  /** Forgets what all senders held, after their thread died. */
  clear(): void {
    this.#held.clear()
  }

  #isEmpty(to: Destination): boolean {
    return (this.#held.get(to)?.sizes.size ?? 0) === 0 && !this.#reserved.has(to)
  }

  #reservedOf(to: Destination) {
    const reserved = this.#reserved.get(to) ?? { slots: 0, bytes: 0 }
    this.#reserved.set(to, reserved)
    return reserved
  }
}
