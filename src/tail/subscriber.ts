import type { EventFilter } from '../domain/event-filter.ts'
import type { Hello, Subscription, TailClient } from '../domain/subscription.ts'
import type { Group } from './groups.ts'
import type { History } from './history.ts'
import type { Ids } from './ids.ts'

/** Bytes that a connection holds above which its client is behind. */
const BEHIND_BYTES = 64 * 1024
/** What a client that is behind is sent at once. */
const PAGE_BYTES = 32 * 1024
/** A client that is behind and reads nothing for so long is cut off. */
const STUCK_MS = 15_000

/**
 * live: subscribed, and sent what all are. behind: not subscribed; sent what is kept, from its cursor on, as fast as it reads; back among the
 * living when it has reached them.
 */
type State = 'live' | 'behind' | 'gone'

/** The hub as one of its clients sees it. */
export interface Broadcast {
  readonly history: History
  readonly ids: Ids
  /** Number up to which clients that keep up have been sent everything. */
  readonly sent: number
  /** Milliseconds that only grow. */
  now(): number
  enter(filter: EventFilter): Group
  exit(group: Group): void
  missedLine(id: number, missed: number): string
  remove(subscriber: Subscriber): void
}

/** A client and where it stands. */
export class Subscriber implements Subscription {
  readonly #hub: Broadcast
  readonly #client: TailClient
  #group: Group
  #state: State = 'behind'
  /** While behind: the number it has been sent everything up to. */
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

  /** To be called before each publish: who has not read the last ones is not sent the next. */
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
    this.#client.disconnect()
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
