import type { EventPublisher, TailEvent } from '../../src/domain/event.ts'
import { type EventFilter, matches } from '../../src/domain/event-filter.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { ThreadContext } from '../../src/kernel/thread.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import type { PublisherMail } from '../messages/mailboxes.ts'
import { type Events, TAIL_WINDOW } from '../messages/tail.ts'
import type { Spawn } from './spawn.ts'

/** Events that may wait for a place at the tail hub. Those beyond are counted and dropped. */
const MAX_PENDING = 256

/** Characters of an event's `detail`; a provider's answer or a log pattern may be far longer. */
const MAX_DETAIL = 1_000

/** Starts the event publisher of a worker thread, with its edges to and from the tail hub on main. */
export function openEventPublisher({ thread, link, scheduler }: ThreadContext, spawn: Spawn) {
  const publisher = new ThreadEventPublisher(link('main').outlet('tail', TAIL_WINDOW), scheduler)
  const { cell } = spawn<PublisherMail>({
    name: `feed/${thread}`,
    address: 'feed',
    places: TAIL_WINDOW,
    batch: TAIL_WINDOW,
    slots: 'auto',
    from: [link('main')],
    build: () => eventPublisherActor(publisher),
  })
  return { publisher, cell }
}

function eventPublisherActor(publisher: ThreadEventPublisher): Actor<PublisherMail> {
  return {
    receive(batch) {
      const latest = batch.at(-1)
      if (latest) publisher.setFilters(latest.filters)
    },
  }
}

/**
 * Publishes the events of one thread that a subscriber of the live tail wants.
 *
 * - no filters yet: keeps all events, because a thread that replaces a dead one must not lose those of its first
 *   moments. Leaves with the first `setFilters`, which drops what no filter wants.
 * - filters: keeps wanted events until the end of the turn, or until the tail hub has a place.
 */
export class ThreadEventPublisher implements EventPublisher {
  readonly #tail: Ref<Events>
  readonly #scheduler: TurnScheduler
  #filters: readonly EventFilter[] | undefined
  #pending: TailEvent[] = []
  #dropped = 0
  #flushScheduled = false

  constructor(tail: Ref<Events>, scheduler: TurnScheduler) {
    this.#tail = tail
    this.#scheduler = scheduler
  }

  get hasSubscribers(): boolean {
    return this.#filters === undefined || this.#filters.length > 0
  }

  setFilters(filters: readonly EventFilter[]): void {
    if (this.#filters === undefined) {
      this.#pending = this.#pending.filter((event) => isWanted(event, filters))
      if (filters.length === 0) this.#dropped = 0
      if (this.#pending.length + this.#dropped > 0) this.#scheduleFlush()
    }
    this.#filters = filters
  }

  publish(event: TailEvent): void {
    if (this.#filters !== undefined && !isWanted(event, this.#filters)) return
    if (this.#pending.length < MAX_PENDING) this.#pending.push(truncated(event))
    else this.#dropped++
    if (this.#filters !== undefined && !this.#flushScheduled) this.#scheduleFlush()
  }

  #scheduleFlush(): void {
    this.#flushScheduled = true
    this.#scheduler.flushLink(() => this.#flush())
  }

  /** Sends all pending events as one message; tries again when the tail hub has a place. */
  #flush(): void {
    if (!this.#tail.tell({ kind: 'events', events: this.#pending, lost: this.#dropped }))
      return this.#tail.whenRoom(() => this.#flush())
    this.#pending = []
    this.#dropped = 0
    this.#flushScheduled = false
  }
}

const isWanted = (event: TailEvent, filters: readonly EventFilter[]) => filters.some((filter) => matches(filter, event))

function truncated(event: TailEvent): TailEvent {
  if (!('detail' in event) || event.detail.length <= MAX_DETAIL) return event
  return { ...event, detail: `${event.detail.slice(0, MAX_DETAIL)}...` }
}
