import type { TailEvent } from '../domain/event.ts'
import { type EventFilter, wants } from '../domain/event-filter.ts'
import type { Missed } from '../domain/tail.ts'

/** One event, or a gap where events were lost, as it is sent; the text alone is kept, being a fraction of what it was made of. */
export interface Entry {
  /** Its own; of a gap the last that was lost. */
  readonly number: number
  /** JSON. */
  readonly line: string
}

/** What follows a number, as much as was asked for. */
export interface Page {
  readonly lines: readonly string[]
  /** Number that the page leads to. */
  readonly through: number
}

export interface HistoryBounds {
  readonly maxEntries: number
  /** Of lines, in UTF-16 units. */
  readonly maxSize: number
}

/** The latest events, for clients that come back or fall behind. */
export class History {
  readonly #bounds: HistoryBounds
  #entries: Entry[] = []
  #size = 0
  /** Number of the last one that was forgotten. */
  #forgotten = 0

  constructor(bounds: HistoryBounds) {
    this.#bounds = bounds
  }

  /** `entries` follow in order on what is here. */
  push(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry)
      this.#size += entry.line.length
    }
    this.#trim()
  }

  /** How many events after this number have been forgotten. */
  missedAfter(number: number): number {
    return Math.max(0, this.#forgotten - number)
  }

  /** Up to and with `through`; lines that fit into `maxSize` together, and at least one. */
  page(number: number, { through, filter, maxSize }: { through: number; filter: EventFilter; maxSize: number }): Page {
    const lines: string[] = []
    let size = 0
    for (let at = this.#indexAfter(number); at < this.#entries.length; at++) {
      const entry = this.#entries[at] as Entry
      if (entry.number > through) break
      if (!fits(filter, entry.line)) continue
      if (size > 0 && size + entry.line.length > maxSize) return { lines, through: entry.number - 1 }
      lines.push(entry.line)
      size += entry.line.length
    }
    return { lines, through }
  }

  #indexAfter(number: number): number {
    let low = 0
    for (let high = this.#entries.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle] as Entry).number > number) high = middle
      else low = middle + 1
    }
    return low
  }

  #trim(): void {
    let drop = Math.max(0, this.#entries.length - this.#bounds.maxEntries)
    for (let at = 0; at < drop; at++) this.#size -= (this.#entries[at] as Entry).line.length
    for (; this.#size > this.#bounds.maxSize && drop < this.#entries.length; drop++)
      this.#size -= (this.#entries[drop] as Entry).line.length
    if (drop === 0) return
    this.#forgotten = (this.#entries[drop - 1] as Entry).number
    this.#entries.splice(0, drop)
  }
}

/** A gap concerns everybody. */
function fits(filter: EventFilter, line: string): boolean {
  if (Object.keys(filter).length === 0) return true
  const event = JSON.parse(line) as TailEvent | Missed
  return event.kind === 'missed' || wants(filter, event)
}
