import type { DetectCallDetail } from '../api/agent/detect-call.ts'
import type { JsonFile } from '../files/json-file.ts'
import { isoTime } from '../text/iso-time.ts'
import type { FailureKind } from './contract.ts'

const HOUR_MS = 3_600_000

/** Limits calls per hour (sliding window). */
export class CallBudget {
  readonly #perHour: number
  /** Epoch milliseconds, oldest first. */
  #calls: number[]

  /** @param calls times of earlier calls, from `calls` */
  constructor(perHour: number, calls: readonly number[] = []) {
    this.#perHour = perHour
    this.#calls = [...calls].sort((a, b) => a - b)
  }

  /** Counts a call. Returns false, without counting, when the limit is reached. */
  tryUse(now: number): boolean {
    if (this.used(now) >= this.#perHour) return false
    this.#calls.push(now)
    return true
  }

  /** Returns the number of calls within the last hour. */
  used(now: number): number {
    // A call in the future, after the clock was set back, counts until it is an hour old.
    this.#calls = this.#calls.filter((at) => at > now - HOUR_MS).slice(-this.#perHour)
    return this.#calls.length
  }

  get calls(): readonly number[] {
    return this.#calls
  }
}

export type CallOutcome = 'ok' | FailureKind

interface DetectLogOptions {
  readonly file: JsonFile
  readonly maxCallsPerHour: number
  /** Epoch milliseconds. */
  now(): number
  /** Called when the file cannot be written. The content stays in memory. */
  saveFailed(error: unknown): void
}

const MAX_EVENTS = 500
/** Minimum time between two automatic writes. */
const SAVE_INTERVAL_MS = 1_000

/** Content of detect.json: the last 500 calls, and the call budget. Clearing the calls does not reset the budget. */
export class DetectLog {
  readonly #options: DetectLogOptions
  readonly #budget: CallBudget
  /** Unknown fields of the file, which are kept. */
  readonly #rest: { readonly [field: string]: unknown }
  /** Oldest first. */
  #events: DetectCallDetail[]
  #dirty = false
  #savedAt = Number.NEGATIVE_INFINITY

  constructor(options: DetectLogOptions) {
    const { events, calls, version: _version, updated_at: _updated, ...rest } = options.file.load() ?? {}
    this.#options = options
    this.#rest = rest
    this.#events = eventsIn(events)
    this.#budget = new CallBudget(options.maxCallsPerHour, timesIn(calls))
  }

  /** Takes a call from the budget. Returns false when the limit per hour is reached. */
  mayCall(): boolean {
    const allowed = this.#budget.tryUse(this.#options.now())
    if (allowed) this.#changed()
    return allowed
  }

  callsLastHour(): number {
    return this.#budget.used(this.#options.now())
  }

  add(event: DetectCallDetail): void {
    this.#events.push(event)
    if (this.#events.length > MAX_EVENTS) this.#events = this.#events.slice(-MAX_EVENTS)
    this.#changed()
  }

  /** Returns the calls, newest first. */
  events(): DetectCallDetail[] {
    return [...this.#events].reverse()
  }

  event(id: string): DetectCallDetail | undefined {
    return this.#events.find((event) => event.id === id)
  }

  /** Deletes all calls and returns how many there were. Throws storage_full, storage_down. */
  clear(): number {
    const cleared = this.#events.length
    this.#events = []
    this.#dirty = true
    this.flush()
    return cleared
  }

  /** Returns the number of calls, in all and by outcome, verdict and severity. */
  stats(): { [count: string]: number } {
    const counts: { [count: string]: number } = { events: this.#events.length }
    const add = (count: string) => {
      counts[count] = (counts[count] ?? 0) + 1
    }
    for (const { outcome, verdict, finding } of this.#events) {
      add(`outcome_${outcome}`)
      add(`verdict_${verdict}`)
      if (finding) add(`severity_${finding.severity}`)
    }
    return counts
  }

  /** Writes the file if there are changes. Returns the number of calls. Throws storage_full, storage_down. */
  flush(): number {
    if (this.#dirty) this.#save()
    return this.#events.length
  }

  #changed(): void {
    this.#dirty = true
    if (this.#options.now() - this.#savedAt < SAVE_INTERVAL_MS) return
    try {
      this.#save()
    } catch (error) {
      this.#options.saveFailed(error)
    }
  }

  #save(): void {
    const { file, now } = this.#options
    this.#savedAt = now()
    const calls = this.#budget.calls.map(isoTime)
    file.save({ ...this.#rest, version: 1, updated_at: isoTime(now()), calls, events: this.#events })
    this.#dirty = false
  }
}

function eventsIn(value: unknown): DetectCallDetail[] {
  if (!Array.isArray(value)) return []
  return value.filter((event) => typeof event?.id === 'string').slice(-MAX_EVENTS)
}

function timesIn(value: unknown): number[] {
  if (!Array.isArray(value)) return []
  return value.map((at) => Date.parse(String(at))).filter((at) => !Number.isNaN(at))
}
