import type { EventPublisher, TailEvent } from '../../src/domain/event.ts'
import { type EventFilter, matches } from '../../src/domain/event-filter.ts'
import { type Actor, Cell, type CellReport } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { ThreadContext } from '../../src/kernel/thread.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import type { PublisherMail } from '../messages/mailboxes.ts'
import { type Events, TAIL_WINDOW } from '../messages/tail.ts'

/** Events that may wait for a place at the tail; what exceeds them is counted instead. */
const MAX_PENDING = 256

/** Whatever a provider answered or a pattern is made of: an event is a line for people. */
const MAX_DETAIL = 1_000

/** Main tells the feed of a thread who watches; the feed tells main's tail what they want to see, once a turn. */
export function openEventPublisher({ thread, link, scheduler }: ThreadContext, clock: Clock, report: CellReport) {
  const publisher = new ThreadEventPublisher(link('main').outlet('tail', TAIL_WINDOW), scheduler)
  const cell = new Cell<PublisherMail>(
    {
      name: `feed/${thread}`,
      mailbox: { capacity: TAIL_WINDOW, whenFull: 'wait' },
      batch: TAIL_WINDOW,
      slots: 'auto',
      build: () => eventPublisherActor(publisher),
    },
    { clock, scheduler, report },
  )
  link('main').inlet('feed', cell.mailbox)
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

/** Until it is told for the first time who watches, it keeps what happens: a thread that follows on a dead one begins with what that one left. */
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

  /** With the end of the turn, or as soon as there is a place. */
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
