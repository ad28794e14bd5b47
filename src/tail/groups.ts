import type { EventFilter } from '../domain/event-filter.ts'

/** All clients with the same filter. Their frames are made once and published under one topic. */
export interface Group {
  readonly topic: string
  readonly filter: EventFilter
  /** The history holds all events after this number that pass the filter. */
  readonly since: number
  /** Clients of the group, live or behind. */
  subscribers: number
  /** When the last client left; monotonic milliseconds. */
  leftAt: number
}

/** Time for which events of a filter are still produced after its last client left, so that the client can resume. */
const LINGER_MS = 60_000
const MAX_GROUPS = 2_048
/** With more filters than this, publishers send all events: testing the filters would cost more. */
const MAX_FILTERS = 16

/** Groups of clients by filter. A group without clients is kept for `LINGER_MS`. */
export class Groups {
  readonly #groups = new Map<string, Group>()
  #topics = 0

  /** Returns the groups for which all events that pass this filter are kept. */
  covering(filter: EventFilter): readonly Group[] {
    return [filter, EVERYTHING].flatMap((each) => this.#groups.get(keyOf(each)) ?? [])
  }

  [Symbol.iterator](): IterableIterator<Group> {
    return this.#groups.values()
  }

  /** Adds a client to the group of a filter. @param since for a new group */
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

  /** Deletes groups whose last client left more than `LINGER_MS` ago; returns true when there were any. */
  forget(now: number): boolean {
    const before = this.#groups.size
    for (const [key, { subscribers, leftAt }] of this.#groups)
      if (subscribers === 0 && now - leftAt > LINGER_MS) this.#groups.delete(key)
    return this.#groups.size < before
  }

  /** Returns the filters for event publishers: events that pass none of them need not be sent. Empty: no events. */
  filters(): readonly EventFilter[] {
    const all = Array.from(this.#groups.values(), ({ filter }) => filter)
    return all.length > MAX_FILTERS || this.#groups.has(keyOf(EVERYTHING)) ? [EVERYTHING] : all
  }
}

const EVERYTHING: EventFilter = {}

/** Returns the same text for equal filters, because their parts are always in the same order. */
const keyOf = (filter: EventFilter) => JSON.stringify(filter)
