import type { Destination } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch, DispatchKey, DispatchKind, Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { Capacity } from '../../src/store/ports/outbox.ts'

/**
 * Opens the window of dispatches that each sender may hold, in slots and bytes. Slots are counted by the sender's ref
 * (`slotsOf`), bytes here. `maxBytes`: bound of the payloads that one sender holds; the last one may exceed it.
 */
export function createInFlightWindow(maxBytes: number, slotsOf: (to: Destination) => number) {
  const all = new Map<Destination, { readonly sizes: Map<string, number>; bytes: number }>()
  return {
    remaining(to: Destination): Capacity {
      const bytes = maxBytes - (all.get(to)?.bytes ?? 0)
      return bytes > 0 ? { slots: slotsOf(to), maxBytes: bytes } : NO_CAPACITY
    },
    /** Other kinds have no payload. */
    add(dispatch: Dispatch): void {
      const { kind, destination, content } = dispatch
      if (!HAS_CONTENT.has(kind)) return
      const held = all.get(destination) ?? { sizes: new Map(), bytes: 0 }
      const bytes = content?.length ?? 0
      held.sizes.set(sizeKey(dispatch), bytes)
      held.bytes += bytes
      all.set(destination, held)
    },
    release(settlement: Settlement): void {
      const held = all.get(settlement.destination)
      if (!held || !HAS_CONTENT.has(settlement.kind)) return
      const key = sizeKey(settlement)
      held.bytes -= held.sizes.get(key) ?? 0
      held.sizes.delete(key)
    },
    /** Forgets what all senders held, after their thread died. */
    clear: (): void => all.clear(),
  }
}

const HAS_CONTENT: ReadonlySet<DispatchKind> = new Set(['delivery', 'page'])
/** An incident has one delivery to a destination, and one page at each of the provider's. */
const sizeKey = ({ kind, incident, code, target }: DispatchKey) =>
  kind === 'page' ? `${incident} page ${target ?? ''}` : `${incident} ${code}`

const NO_CAPACITY: Capacity = { slots: 0, maxBytes: 0 }
