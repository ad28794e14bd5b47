import type { Destination } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch, DispatchKey, DispatchKind, Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { Capacity } from '../../src/store/ports/outbox.ts'

/**
 * Window of dispatches that each sender may hold, in slots and bytes. Slots are counted by the sender's ref
 * (`slotsOf`), bytes here.
 */
export class InFlightWindow {
  readonly #maxBytes: number
  readonly #slotsOf: (to: Destination) => number
  readonly #held = new Map<Destination, { readonly sizes: Map<string, number>; bytes: number }>()

  /** `maxBytes`: bound of the payloads that one sender holds; the last one may exceed it. */
  constructor(maxBytes: number, slotsOf: (to: Destination) => number) {
    this.#maxBytes = maxBytes
    this.#slotsOf = slotsOf
  }

  remaining(to: Destination): Capacity {
    const bytes = this.#maxBytes - (this.#held.get(to)?.bytes ?? 0)
    return bytes > 0 ? { slots: this.#slotsOf(to), maxBytes: bytes } : NO_CAPACITY
  }

  /** Other kinds have no payload. */
  add(dispatch: Dispatch): void {
    const { kind, destination, content } = dispatch
    if (!HAS_CONTENT.has(kind)) return
    const held = this.#held.get(destination) ?? { sizes: new Map(), bytes: 0 }
    const bytes = content?.length ?? 0
    held.sizes.set(sizeKey(dispatch), bytes)
    held.bytes += bytes
    this.#held.set(destination, held)
  }

  release(settlement: Settlement): void {
    const held = this.#held.get(settlement.destination)
    if (!held || !HAS_CONTENT.has(settlement.kind)) return
    const key = sizeKey(settlement)
    held.bytes -= held.sizes.get(key) ?? 0
    held.sizes.delete(key)
  }

  /** Forgets what all senders held, after their thread died. */
  clear(): void {
    this.#held.clear()
  }
}

const HAS_CONTENT: ReadonlySet<DispatchKind> = new Set(['delivery', 'page'])
/** An incident has one delivery to a destination, and one page at each of the provider's. */
const sizeKey = ({ kind, incident, code, target }: DispatchKey) =>
  kind === 'page' ? `${incident} page ${target ?? ''}` : `${incident} ${code}`

const NO_CAPACITY: Capacity = { slots: 0, maxBytes: 0 }
