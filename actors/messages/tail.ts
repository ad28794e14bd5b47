import type { TailEvent } from '../../src/domain/event.ts'
import type { EventFilter } from '../../src/domain/event-filter.ts'

/** Who watches now, in place of who watched before; empty: nobody. */
export interface SetFilters {
  readonly kind: 'listen'
  /** What fits any of them is wanted. */
  readonly filters: readonly EventFilter[]
}

/** What happened on one thread in one turn, in order, as far as anybody wants to see it. */
export interface Events {
  readonly kind: 'events'
  readonly events: readonly TailEvent[]
  /** Of those that followed, so many found no place. */
  readonly lost: number
}

/** Somebody watches something else than before, or a thread is up that was told nothing yet. */
export interface FiltersChanged {
  readonly kind: 'wishes'
}

/**
 * Messages that a feed may have under way to the tail, and the tail to a feed. The tail settles one when its events have been sent to the
 * clients: so this, and what a feed holds, bounds how many events anybody is sent.
 */
export const TAIL_WINDOW = 2
