import type { StatsEvent, TailEvent } from '../domain/event.ts'
import { type EventFilter, matches } from '../domain/event-filter.ts'
import type { JoinRequest, Missed, Subscription, Tail, TailClient } from '../domain/subscription.ts'
import { frames } from './frames.ts'
import { type Group, Groups } from './groups.ts'
import { History } from './history.ts'
import { Ids } from './ids.ts'
import { type Broadcast, Subscriber } from './subscriber.ts'

interface HubDeps {
  /** Sends text to every client that is subscribed to the topic. */
  publish(topic: string, text: string): void
  /** Called when `filters` changed. */
  filtersChanged(): void
  /** Epoch milliseconds of the start. */
  readonly startedAt: number
  /** Monotonic milliseconds. */
  now(): number
}

const HISTORY_BOUNDS = { maxEntries: 4_096, maxBytes: 2 * 1024 * 1024 }
const FRAME_SIZE = 64 * 1024
/** Bound on the bytes that all connections together hold for clients that do not read. */
const MAX_BUFFERED = 32 * 1024 * 1024

/** A line for the next flush: an event, or a gap, which goes to all live clients. */
interface NewLine {
  readonly event?: TailEvent
  /** JSON. */
  readonly line: string
}

/**
 * Numbers events, keeps the latest, and sends them to the clients of the live tail. Live clients with the same filter
 * share one publish. A client that fell behind or came back replays the history at its own pace.
 */
export class Hub implements Tail, Broadcast {
  readonly history = new History(HISTORY_BOUNDS)
  readonly ids: Ids
  readonly #deps: HubDeps
  readonly #groups = new Groups()
  readonly #subscribers = new Set<Subscriber>()
  /** Number of the last event. Lost events have numbers too. */
  #last = 0
  #sent = 0
  /** Lines since the last flush. */
  #newLines: NewLine[] = []

  constructor(deps: HubDeps) {
    this.#deps = deps
    this.ids = new Ids(deps.startedAt)
  }

  /** Number up to which live clients have been sent all events. */
  get sent(): number {
    return this.#sent
  }

  get clients(): number {
    return this.#subscribers.size
  }

  /** Filters for event publishers; empty: no events are wanted. */
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

  /**
   * Adds a client to the group of a filter. A new group begins now: earlier events may not have been produced for it.
   */
  enter(filter: EventFilter): Group {
    if (this.#groups.covering(filter).length > 0) return this.#groups.join(filter, this.#last)
    // Skips a number: a client that knows the number before may have missed events, because none were produced.
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

  /** Takes events from the publishers. @param lost further events that a publisher could not send */
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

  /** Sends statistics to live clients with the next flush. They are not kept, and have the id of the last event. */
  announce(event: StatsEvent): void {
    this.#newLines.push({ event, line: this.#line(event) })
  }

  /** Sends new lines to live clients. Returns the milliseconds until the next flush. */
  flush(): number {
    for (const subscriber of this.#subscribers) subscriber.checkLag()
    const newLines = this.#newLines
    this.#newLines = []
    this.#sent = this.#last
    for (const group of this.#groups) if (group.subscribers > 0) this.#publish(group, newLines)
    return pauseMs(this.#subscribers.size, newLines.length)
  }

  /** Disconnects clients that do not read, and drops groups that are unused. Call it every few seconds. */
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
/** Share of the thread's time that flushes may take. */
const SHARE = 0.1

/** Returns a pause so long that flushes, one write and some copies for each client, stay within their share of time. */
function pauseMs(clients: number, events: number): number {
  return Math.max(LEAST_PAUSE_MS, (clients * (WRITE_MS + events * COPY_MS)) / SHARE)
}
