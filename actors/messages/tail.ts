import type { TailEvent } from '../../src/domain/event.ts'
import type { EventFilter } from '../../src/domain/event-filter.ts'

/**
 *     event publisher of each thread --events-------> tail hub        tail hub --filters-changed--> tail hub
 *     event publisher of each thread <--set-filters-- tail hub
 *
 * - events: TAIL_WINDOW. When full, the publisher keeps 256 events and counts the rest; clients get the number they
 *   missed.
 * - set-filters: TAIL_WINDOW. When full, the hub sends the filters of the moment in which there is room.
 * - filters-changed: PEER_WINDOW. When full, the message is dropped: unread ones before it have the same effect.
 */

/** Replaces the publisher's filters. Empty: no subscribers, publish nothing. */
export interface SetFilters {
  readonly kind: 'set-filters'
  /** An event is wanted when it matches any of them. */
  readonly filters: readonly EventFilter[]
}

/** The events of one thread in one event-loop turn, in order, as far as a subscriber wants them. */
export interface Events {
  readonly kind: 'events'
  readonly events: readonly TailEvent[]
  /** Number of events that followed these and found no place. */
  readonly lost: number
}

/** Has the tail hub send every publisher the current filters: they changed, or a thread started. */
export interface FiltersChanged {
  readonly kind: 'filters-changed'
}

/**
 * Messages under way between one publisher and the hub, in each direction. The hub frees a message's slot when its
 * events have been sent to the clients; so this window and the publisher's own buffer bound how many events clients are
 * sent.
 */
export const TAIL_WINDOW = 2
