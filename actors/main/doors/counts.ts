import type { DoorStatus } from '../../../src/api/door.ts'
import { Tally } from '../../../src/telemetry/counters.ts'

const MINUTE = 60

interface Counted {
  /** Requests by the status of the answer. */
  readonly codes: Tally<number>
  /** Requests, or parts of them, that had no effect, by reason. */
  readonly ignored: Tally
  /** Requests of the last minute; place: second modulo 60. */
  readonly seconds: { at: number; count: number }[]
  lastAt: number | undefined
}

/** Counts the requests of all doors since the process started. */
export class DoorCounts {
  readonly #doors = new Map<string, Counted>()
  readonly #now: () => number

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns what counts an answer of the door. */
  of(door: string): (status: number) => void {
    const counted: Counted = {
      codes: new Tally(),
      ignored: new Tally(),
      seconds: Array.from({ length: MINUTE }, () => ({ at: 0, count: 0 })),
      lastAt: undefined,
    }
    this.#doors.set(door, counted)
    return (status) => {
      const now = this.#now()
      counted.lastAt = now
      counted.codes.add(status)
      const at = Math.floor(now / 1_000)
      const second = counted.seconds[at % MINUTE] as { at: number; count: number }
      if (second.at !== at) Object.assign(second, { at, count: 0 })
      second.count++
    }
  }

  /** Counts requests that a door took and that change nothing. */
  ignored(door: string, reason: string, times = 1): void {
    this.#doors.get(door)?.ignored.add(reason, times)
  }

  /** @param isOpen tells whether a door is on */
  status(isOpen: (door: string) => boolean): DoorStatus[] {
    const now = this.#now()
    const from = Math.floor(now / 1_000) - MINUTE
    return Array.from(this.#doors, ([name, { codes, ignored, seconds, lastAt }]) => ({
      name,
      open: isOpen(name),
      last_minute: seconds.reduce((sum, { at, count }) => sum + (at > from && at * 1_000 <= now ? count : 0), 0),
      last_at: lastAt === undefined ? null : new Date(lastAt).toISOString(),
      codes: Object.fromEntries(codes),
      ignored: Object.fromEntries(ignored),
    }))
  }
}
