import type { Destination } from '../../domain/delivery/delivery.ts'
import type { Capacity } from '../ports/outbox.ts'

/** Room of the senders that is left in one transaction. */
export class Rooms {
  readonly #left: Map<Destination, Capacity>
  readonly #used = new Set<Destination>()

  constructor(capacity: ReadonlyMap<Destination, Capacity>) {
    this.#left = new Map(capacity)
  }

  /** Takes a slot; false when the sender has none, or no room for so many bytes. The first payload always fits. */
  take(to: Destination, bytes: number): boolean {
    const left = this.#left.get(to)
    if (left === undefined || left.slots < 1 || left.maxBytes < 1) return false
    if (bytes > left.maxBytes && this.#used.has(to)) return false
    this.#left.set(to, { slots: left.slots - 1, maxBytes: left.maxBytes - bytes })
    this.#used.add(to)
    return true
  }

  /** Room of each sender that has any. */
  get left(): ReadonlyMap<Destination, Capacity> {
    return new Map([...this.#left].filter(([, { slots, maxBytes }]) => slots > 0 && maxBytes > 0))
  }
}
