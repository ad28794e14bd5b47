import type { EventFilter } from '../domain/event-filter.ts'
import type { Hello, Subscription, TailClient } from '../domain/subscription.ts'
import type { Group } from './groups.ts'
import type { History } from './history.ts'
import type { Ids } from './ids.ts'

/** A client is behind when its connection buffers more than this. */
const BEHIND_BYTES = 64 * 1024
/** Size of one page of history for a client that is behind. */
const PAGE_BYTES = 32 * 1024
/** A client that is behind and reads nothing for this time is disconnected. */
const STUCK_MS = 15_000

/**
 * | state | meaning | leaves to |
 * |---|---|---|
 * | behind | replays the history from its cursor, as fast as it reads | live, when it has caught up |
 * | live | subscribed to its group's topic | behind, when its connection buffers too much |
 * | gone | disconnected | |
 */
type State = 'live' | 'behind' | 'gone'

/** The part of the hub that a subscriber uses. */
export interface Broadcast {
  readonly history: History
  readonly ids: Ids
  /** Number up to which live clients have been sent all events. */
  readonly sent: number
  /** Monotonic milliseconds. */
  now(): number
  enter(filter: EventFilter): Group
  exit(group: Group): void
  missedLine(id: number, missed: number): string
  remove(subscriber: Subscriber): void
}

/** One client of the live tail and its state. */
export class Subscriber implements Subscription {
  readonly #hub: Broadcast
  readonly #client: TailClient
  #group: Group
  #state: State = 'behind'
  /** While behind: the number up to which it has been sent all events. */
  #cursor = 0
  #progressAt = 0

  constructor(hub: Broadcast, client: TailClient, group: Group) {
    this.#hub = hub
    this.#client = client
    this.#group = group
  }

  get buffered(): number {
    return this.#client.buffered
  }

  /** Sends `hello`, then the kept events after the number `from`; without it only what happens from now on. */
  start({ from, resumed }: { readonly from: number | undefined; readonly resumed: boolean }): void {
    const { ids, sent, history } = this.#hub
    const missed = from === undefined ? 0 : history.missedAfter(from)
    const hello: Hello = {
      kind: 'hello',
      server_id: ids.serverId,
      last_id: ids.of(sent),
      resumed,
      missed,
    }
    this.#client.send(JSON.stringify(hello))
    this.#fallBehind(from === undefined ? sent : from + missed)
    this.#catchUp()
  }

  refilter(filter: EventFilter): void {
    if (this.#state === 'gone') return
    const before = this.#group
    this.#group = this.#hub.enter(filter)
    this.#hub.exit(before)
    if (this.#state !== 'live') return
    this.#client.unsubscribe(before.topic)
    this.#client.subscribe(this.#group.topic)
  }

  /** Falls behind when the connection buffers too much. Call it before each publish. */
  checkLag(): void {
    if (this.#state !== 'live' || this.#client.buffered <= BEHIND_BYTES) return
    this.#client.unsubscribe(this.#group.topic)
    this.#fallBehind(this.#hub.sent)
  }

  drained(): void {
    if (this.#state !== 'behind') return
    this.#progressAt = this.#hub.now()
    this.#catchUp()
  }

  isStuck(now: number): boolean {
    return this.#state === 'behind' && now - this.#progressAt > STUCK_MS
  }

  disconnect(): void {
    this.#client.disconnect('too_slow')
  }

  leave(): void {
    if (this.#state === 'gone') return
    this.#state = 'gone'
    this.#hub.exit(this.#group)
    this.#hub.remove(this)
  }

  #fallBehind(cursor: number): void {
    this.#state = 'behind'
    this.#cursor = cursor
    this.#progressAt = this.#hub.now()
  }

  #catchUp(): void {
    const { history, sent: through } = this.#hub
    while (this.#cursor < through) {
      if (this.#client.buffered > BEHIND_BYTES) return
      const missed = history.missedAfter(this.#cursor)
      if (missed > 0) {
        this.#cursor += missed
        this.#client.send(this.#hub.missedLine(this.#cursor, missed))
      }
      const page = history.page(this.#cursor, { through, filter: this.#group.filter, maxBytes: PAGE_BYTES })
      if (page.lines.length > 0) this.#client.send(page.lines.join('\n'))
      this.#cursor = page.through
    }
    this.#state = 'live'
    this.#client.subscribe(this.#group.topic)
  }
}
