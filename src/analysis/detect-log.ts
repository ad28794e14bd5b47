import type { DetectCallDetail } from '../api/detect-call.ts'
import type { JsonFile } from '../files/contract.ts'
import { CallBudget } from './budget.ts'
import type { FailureKind } from './failure.ts'

export type CallOutcome = 'ok' | FailureKind

interface DetectLogOptions {
  readonly file: JsonFile
  readonly maxCallsPerHour: number
  /** Epoch milliseconds. */
  now(): number
  /** The disk refused; what is in memory stays there. */
  saveFailed(error: unknown): void
}

const MAX_EVENTS = 500
/** Between two writes that nobody asked for. */
const SAVE_INTERVAL_MS = 1_000

/** The account of all calls, and of how many there may be: both outlive a restart, and clearing one leaves the other. */
export class DetectLog {
  readonly #options: DetectLogOptions
  readonly #budget: CallBudget
  /** Fields of the file that are not ours. */
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

  /** False: as many calls as an hour may have were made. A call that is allowed counts, whatever becomes of it. */
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

  /** Newest first. */
  events(): DetectCallDetail[] {
    return [...this.#events].reverse()
  }

  event(id: string): DetectCallDetail | undefined {
    return this.#events.find((event) => event.id === id)
  }

  /** Returns how many went. */
  clear(): number {
    const cleared = this.#events.length
    this.#events = []
    this.#dirty = true
    this.flush()
    return cleared
  }

  /** Flat counts. */
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

  /** Writes what has not been written; returns the number of events. Throws a CodedError of the disk. */
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
    const calls = this.#budget.calls.map((at) => new Date(at).toISOString())
    file.save({ ...this.#rest, version: 1, updated_at: new Date(now()).toISOString(), calls, events: this.#events })
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
