import type { StatsEvent, TailEvent } from '../domain/event.ts'
import { type EventFilter, matches } from '../domain/event-filter.ts'
import type { JoinRequest, Missed, Subscription, Tail, TailClient } from '../domain/subscription.ts'
import { frames } from './frames.ts'
import { type Group, Groups } from './groups.ts'
import { History } from './history.ts'
import { Ids } from './ids.ts'
import { type Broadcast, Subscriber } from './subscriber.ts'

interface HubDeps {
  /** To every client that is subscribed to the topic. */
  publish(topic: string, text: string): void
  /** Somebody wants to see something else than before: see `filters`. */
  filtersChanged(): void
  /** Epoch milliseconds of the start. */
  readonly startedAt: number
  /** Milliseconds that only grow. */
  now(): number
}

const HISTORY_BOUNDS = { maxEntries: 4_096, maxBytes: 2 * 1024 * 1024 }
const FRAME_SIZE = 64 * 1024
/** What all connections together may hold of what their clients do not read. */
const MAX_BUFFERED = 32 * 1024 * 1024

/** Something that is to be sent to those that keep up: an event, or a gap, which concerns everybody. */
interface NewLine {
  readonly event?: TailEvent
  /** JSON. */
  readonly line: string
}

/**
 * Numbers what happens, keeps the latest of it, and sends it on: to clients that keep up with one publish for all that have the same filter, to
 * those that fell behind or came back out of what is kept, each at its own pace.
 */
export class Hub implements Tail, Broadcast {
  readonly history = new History(HISTORY_BOUNDS)
  readonly ids: Ids
  readonly #deps: HubDeps
  readonly #groups = new Groups()
  readonly #subscribers = new Set<Subscriber>()
  /** Number of the last event; lost ones have theirs too. */
  #last = 0
  #sent = 0
  /** What came since the last flush. */
  #newLines: NewLine[] = []

  constructor(deps: HubDeps) {
    this.#deps = deps
    this.ids = new Ids(deps.startedAt)
  }

  /** Number up to which clients that keep up have been sent everything. */
  get sent(): number {
    return this.#sent
  }

  get clients(): number {
    return this.#subscribers.size
  }

  /** What is to be produced; empty: nothing. */
  get filters(): readonly EventFilter[] {
    return this.#groups.filters()
  }

  get wantsStats(): boolean {
    return [...this.#groups].some(
      ({ subscribers, filter }) => subscribers > 0 && (filter.kinds?.includes('stats') ?? true),
    )
  }

  now(): number {
    return this.#deps.now()
  }

  join(client: TailClient, { filter, after, newest = 0 }: JoinRequest): Subscription {
    const from = after === undefined ? this.#beforeNewest(filter, newest) : this.#resumable(filter, after)
    const subscriber = new Subscriber(this, client, this.enter(filter))
    this.#subscribers.add(subscriber)
    subscriber.start({ from, resumed: after !== undefined && from !== undefined })
    return subscriber
  }

  /** The group of a filter, with one more in it. What happened before a new one may not have been kept for it. */
  enter(filter: EventFilter): Group {
    if (this.#groups.covering(filter).length > 0) return this.#groups.join(filter, this.#last)
    // A number for nothing: whoever was sent the one before may have missed what happened since then.
    const group = this.#groups.join(filter, ++this.#last)
    if (this.#sent === this.#last - 1) this.#sent = this.#last
    this.#deps.filtersChanged()
    return group
  }

  exit(group: Group): void {
    this.#groups.leave(group, this.now())
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber)
  }

  /** `lost`: so many more happened and could not be brought here. */
  accept(events: readonly TailEvent[], lost: number): void {
    for (const event of events) {
      const number = ++this.#last
      const line = this.#line(event)
      this.history.push({ number, line })
      this.#newLines.push({ event, line })
    }
    if (lost === 0) return
    this.#last += lost
    const line = this.missedLine(this.#last, lost)
    this.history.push({ number: this.#last, line })
    this.#newLines.push({ line })
  }

  /** Sent with the next flush to those that keep up, kept for nobody; its id is that of the last event. */
  announce(event: StatsEvent): void {
    this.#newLines.push({ event, line: this.#line(event) })
  }

  /** Sends what is new to those that keep up; returns how many milliseconds to leave it alone for then. */
  flush(): number {
    for (const subscriber of this.#subscribers) subscriber.checkLag()
    const newLines = this.#newLines
    this.#newLines = []
    this.#sent = this.#last
    for (const group of this.#groups) if (group.subscribers > 0) this.#publish(group, newLines)
    return pauseMs(this.#subscribers.size, newLines.length)
  }

  /** To be called now and then: cuts off who does not read, forgets who does not come back. */
  sweep(): void {
    const now = this.now()
    for (const subscriber of this.#subscribers) if (subscriber.isStuck(now)) subscriber.disconnect()
    const slowest = [...this.#subscribers].sort((a, b) => b.buffered - a.buffered)
    let buffered = slowest.reduce((sum, subscriber) => sum + subscriber.buffered, 0)
    for (const subscriber of slowest) {
      if (buffered <= MAX_BUFFERED) break
      buffered -= subscriber.buffered
      subscriber.disconnect()
    }
    if (this.#groups.forget(now)) this.#deps.filtersChanged()
  }

  missedLine(number: number, count: number): string {
    return JSON.stringify({ kind: 'missed', id: this.ids.of(number), count } satisfies Missed)
  }

  #publish({ topic, filter }: Group, newLines: readonly NewLine[]): void {
    const lines = newLines.flatMap(({ event, line }) => (event === undefined || matches(filter, event) ? line : []))
    for (const frame of frames(lines, FRAME_SIZE)) this.#deps.publish(topic, frame)
  }

  #resumable(filter: EventFilter, after: string): number | undefined {
    const number = this.ids.numberOf(after)
    if (number === undefined || number > this.#last) return undefined
    return this.#groups.covering(filter).some(({ since }) => since <= number) ? number : undefined
  }

  /** The number after which up to `count` kept events follow; undefined where none were kept for the filter. */
  #beforeNewest(filter: EventFilter, count: number): number | undefined {
    const since = Math.min(...this.#groups.covering(filter).map((group) => group.since))
    if (count === 0 || since === Number.POSITIVE_INFINITY) return undefined
    return this.history.beforeNewest(count, { after: since, through: this.#sent, filter })
  }

  #line(event: TailEvent): string {
    return JSON.stringify({ id: this.ids.of(this.#last), ...event })
  }
}

const LEAST_PAUSE_MS = 100
const WRITE_MS = 0.01
const COPY_MS = 0.0001
/** Share of the thread's time that the tail may take. */
const SHARE = 0.1

/** A flush is a write for each client and a copy of each event for each: so long a pause that they take no more than their share. */
function pauseMs(clients: number, events: number): number {
  return Math.max(LEAST_PAUSE_MS, (clients * (WRITE_MS + events * COPY_MS)) / SHARE)
}
