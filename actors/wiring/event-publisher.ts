import type { Feed, TailEvent } from '../../src/domain/event.ts'
import { type EventFilter, wants } from '../../src/domain/event-filter.ts'
import { type Actor, Cell, type CellReport } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { ThreadContext } from '../../src/kernel/thread.ts'
import type { Turns } from '../../src/kernel/turn-scheduler.ts'
import type { FeedMail } from '../messages/mailboxes.ts'
import { type Events, FEED_WINDOW } from '../messages/tail.ts'

/** Events that may wait for a place at the tail; what exceeds them is counted instead. */
const MAX_HELD = 256

/** Whatever a provider answered or a pattern is made of: an event is a line for people. */
const MAX_DETAIL = 1_000

/** Main tells the feed of a thread who watches; the feed tells main's tail what they want to see, once a turn. */
export function openFeed({ thread, link, turns }: ThreadContext, clock: Clock, report: CellReport) {
  const feed = new ThreadFeed(link('main').outlet('tail', FEED_WINDOW), turns)
  const cell = new Cell<FeedMail>(
    {
      name: `feed/${thread}`,
      mailbox: { capacity: FEED_WINDOW, whenFull: 'wait' },
      batch: FEED_WINDOW,
      places: 'auto',
      build: () => feedActor(feed),
    },
    { clock, turns, report },
  )
  link('main').inlet('feed', cell.mailbox)
  return { feed, cell }
}

function feedActor(feed: ThreadFeed): Actor<FeedMail> {
  return {
    receive(batch) {
      const latest = batch.at(-1)
      if (latest) feed.listen(latest.filters)
    },
  }
}

/** Until it is told for the first time who watches, it keeps what happens: a thread that follows on a dead one begins with what that one left. */
export class ThreadFeed implements Feed {
  readonly #tail: Ref<Events>
  readonly #turns: Turns
  #filters: readonly EventFilter[] | undefined
  #held: TailEvent[] = []
  #lost = 0
  #leaving = false

  constructor(tail: Ref<Events>, turns: Turns) {
    this.#tail = tail
    this.#turns = turns
  }

  get open(): boolean {
    return this.#filters === undefined || this.#filters.length > 0
  }

  listen(filters: readonly EventFilter[]): void {
    if (this.#filters === undefined) {
      this.#held = this.#held.filter((event) => isWanted(event, filters))
      if (filters.length === 0) this.#lost = 0
      if (this.#held.length + this.#lost > 0) this.#leaveSoon()
    }
    this.#filters = filters
  }

  publish(event: TailEvent): void {
    if (this.#filters !== undefined && !isWanted(event, this.#filters)) return
    if (this.#held.length < MAX_HELD) this.#held.push(brief(event))
    else this.#lost++
    if (this.#filters !== undefined && !this.#leaving) this.#leaveSoon()
  }

  #leaveSoon(): void {
    this.#leaving = true
    this.#turns.flushLink(() => this.#leave())
  }

  /** With the end of the turn, or as soon as there is a place. */
  #leave(): void {
    if (!this.#tail.tell({ kind: 'events', events: this.#held, lost: this.#lost }))
      return this.#tail.whenRoom(() => this.#leave())
    this.#held = []
    this.#lost = 0
    this.#leaving = false
  }
}

const isWanted = (event: TailEvent, filters: readonly EventFilter[]) => filters.some((filter) => wants(filter, event))

function brief(event: TailEvent): TailEvent {
  if (!('detail' in event) || event.detail.length <= MAX_DETAIL) return event
  return { ...event, detail: `${event.detail.slice(0, MAX_DETAIL)}...` }
}
