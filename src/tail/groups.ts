import type { EventFilter } from '../domain/event-filter.ts'

/** Clients with one filter: what they are sent is made once and published under one topic. */
export interface Group {
  readonly topic: string
  readonly filter: EventFilter
  /** What happened after this number, and fits, has been kept for the group. */
  readonly since: number
  /** Seats that are subscribed or will be. */
  subscribers: number
  /** When its last client left; milliseconds that only grow. */
  leftAt: number
}

/** How long what a client watched is kept for its coming back. */
const LINGER_MS = 60_000
const MAX_GROUPS = 2_048
/** More filters than this cost the producers more than sending everything does. */
const MAX_FILTERS = 16

/** The filters of those that watch now, and for a while of those that watched. */
export class Groups {
  readonly #groups = new Map<string, Group>()
  #topics = 0

  /** Those for which all is kept that this filter lets through. */
  covering(filter: EventFilter): readonly Group[] {
    return [filter, EVERYTHING].flatMap((each) => this.#groups.get(keyOf(each)) ?? [])
  }

  [Symbol.iterator](): IterableIterator<Group> {
    return this.#groups.values()
  }

  /** `since`: for a group that is not here yet. */
  join(filter: EventFilter, since: number): Group {
    const group = this.#groups.get(keyOf(filter)) ?? {
      topic: `tail/${++this.#topics}`,
      filter,
      since,
      subscribers: 0,
      leftAt: 0,
    }
    group.subscribers++
    this.#groups.set(keyOf(filter), group)
    return group
  }

  leave(group: Group, now: number): void {
    group.subscribers--
    group.leftAt = now
    if (group.subscribers === 0 && this.#groups.size > MAX_GROUPS) this.#groups.delete(keyOf(group.filter))
  }

  /** Those that nobody has come back to; true: there were such. */
  forget(now: number): boolean {
    const before = this.#groups.size
    for (const [key, { subscribers, leftAt }] of this.#groups)
      if (subscribers === 0 && now - leftAt > LINGER_MS) this.#groups.delete(key)
    return this.#groups.size < before
  }

  /** What the producers are to send; empty: nothing. */
  filters(): readonly EventFilter[] {
    const all = Array.from(this.#groups.values(), ({ filter }) => filter)
    return all.length > MAX_FILTERS || this.#groups.has(keyOf(EVERYTHING)) ? [EVERYTHING] : all
  }
}

const EVERYTHING: EventFilter = {}

/** Filters are made in one order of their parts, so the same wish has the same text. */
const keyOf = (filter: EventFilter) => JSON.stringify(filter)
