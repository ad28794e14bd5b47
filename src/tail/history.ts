import type { TailEvent } from '../domain/event.ts'
import { type EventFilter, matches } from '../domain/event-filter.ts'
import type { Missed } from '../domain/subscription.ts'

interface HistoryBounds {
  readonly maxEntries: number
  readonly maxBytes: number
}

/**
 * The latest events, for clients that come back or fall behind. Their text is in one ring buffer of bytes, where new
 * events overwrite the oldest: objects would need ten times the memory and would all reach the old generation of the
 * heap. An *ordinal* counts entries since the start; entry `n` is at index `n % maxEntries`.
 */
export class History {
  readonly #bounds: HistoryBounds
  /** Allocated with the first event. */
  #bytes = Buffer.alloc(0)
  readonly #numbers: Float64Array
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  /** Ordinal of the oldest entry. */
  #oldest = 0
  /** Ordinal of the next entry. */
  #next = 0
  /** Number of the last event that was overwritten. */
  #forgotten = 0

  constructor(bounds: HistoryBounds) {
    this.#bounds = bounds
    this.#numbers = new Float64Array(bounds.maxEntries)
    this.#starts = new Uint32Array(bounds.maxEntries)
    this.#ends = new Uint32Array(bounds.maxEntries)
  }

  /**
   * Appends an event, or a gap where events were lost, as JSON. Its number, of a gap that of the last lost event, must be
   * above all others, and its line at most `maxBytes` long.
   */
  push({ number, line }: { number: number; line: string }): void {
    if (this.#bytes.length === 0) this.#bytes = Buffer.alloc(this.#bounds.maxBytes)
    const size = Buffer.byteLength(line)
    const start = this.#makeRoom(size)
    this.#bytes.write(line, start)
    const slot = this.#slot(this.#next++)
    this.#numbers[slot] = number
    this.#starts[slot] = start
    this.#ends[slot] = start + size
  }

  /** Returns how many events after this number were overwritten. */
  missedAfter(number: number): number {
    return Math.max(0, this.#forgotten - number)
  }

  /** Returns the number after which up to `count` events that fit follow, none of them at or before `after`. */
  beforeNewest(
    count: number,
    { after, through, filter }: { after: number; through: number; filter: EventFilter },
  ): number {
    let before = through
    for (let ordinal = this.#next - 1, left = count; ordinal >= this.#oldest && left > 0; ordinal--) {
      const own = this.#numberAt(ordinal)
      if (own <= after) break
      if (own > through || !fits(filter, this.#lineAt(ordinal))) continue
      before = own - 1
      left--
    }
    return before
  }

  /**
   * Returns the entries after `number` up to `through` that pass the filter: lines of at most `maxBytes` together, or
   * one longer line. The page covers events up to its own `through`.
   */
  page(
    number: number,
    { through, filter, maxBytes }: { through: number; filter: EventFilter; maxBytes: number },
  ): { lines: readonly string[]; through: number } {
    const lines: string[] = []
    let left = maxBytes
    for (let ordinal = this.#firstAfter(number); ordinal < this.#next; ordinal++) {
      const own = this.#numberAt(ordinal)
      if (own > through) break
      const line = this.#lineAt(ordinal)
      if (!fits(filter, line)) continue
      if (lines.length > 0 && line.length > left) return { lines, through: own - 1 }
      lines.push(line)
      left -= line.length
    }
    return { lines, through }
  }

  /** Returns the offset at which `size` bytes can be written; drops the entries that they overwrite. */
  #makeRoom(size: number): number {
    if (this.#next - this.#oldest === this.#bounds.maxEntries) this.#forget()
    const end = this.#next === this.#oldest ? 0 : this.#endAt(this.#next - 1)
    const start = end + size <= this.#bytes.length ? end : 0
    // The oldest entries lie behind the newest. When writing starts again at offset 0, those at the end go first.
    if (start < end) while (this.#next > this.#oldest && this.#startAt(this.#oldest) >= end) this.#forget()
    while (this.#next > this.#oldest && this.#covers(start, start + size)) this.#forget()
    return start
  }

  /** Returns true when the oldest entry has any of these bytes. */
  #covers(start: number, end: number): boolean {
    return this.#startAt(this.#oldest) < end && this.#endAt(this.#oldest) > start
  }

  #forget(): void {
    this.#forgotten = this.#numberAt(this.#oldest++)
  }

  #firstAfter(number: number): number {
    let low = this.#oldest
    for (let high = this.#next; low < high; ) {
      const middle = Math.floor((low + high) / 2)
      if (this.#numberAt(middle) > number) high = middle
      else low = middle + 1
    }
    return low
  }

  #slot(ordinal: number): number {
    return ordinal % this.#bounds.maxEntries
  }
  #numberAt(ordinal: number): number {
    return this.#numbers[this.#slot(ordinal)] ?? 0
  }
  #startAt(ordinal: number): number {
    return this.#starts[this.#slot(ordinal)] ?? 0
  }
  #endAt(ordinal: number): number {
    return this.#ends[this.#slot(ordinal)] ?? 0
  }
  #lineAt(ordinal: number): string {
    return this.#bytes.toString('utf8', this.#startAt(ordinal), this.#endAt(ordinal))
  }
}

/** A gap passes every filter. */
function fits(filter: EventFilter, line: string): boolean {
  if (Object.keys(filter).length === 0) return true
  const event = JSON.parse(line) as TailEvent | Missed
  return event.kind === 'missed' || matches(filter, event)
}
