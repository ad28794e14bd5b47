import type { ShadowEvent } from '../../api/agent/shadow-event.ts'
import type { JsonFile } from '../../files/json-file.ts'
import { isoTime } from '../../text/iso-time.ts'
import type { Finding } from '../contract.ts'

const MAX_EVENTS = 1_000
const MAX_SAMPLE = 4_000

/** Content of shadow.json: at most 1,000 entries, one per pattern and verdict. The one seen longest ago is dropped. */
export class ShadowLog {
  readonly #file: JsonFile
  readonly #rest: { readonly [field: string]: unknown }
  /** Ordered by time last seen, newest last. */
  readonly #events = new Map<string, ShadowEvent>()
  #dirty = false

  constructor(file: JsonFile) {
    const { events, version: _version, updated_at: _updated, ...rest } = file.load() ?? {}
    this.#file = file
    this.#rest = rest
    if (Array.isArray(events)) for (const event of events) if (isEvent(event)) this.#events.set(keyOf(event), event)
  }

  /** @param now epoch milliseconds */
  record({ phase, pattern, kind, samples, frequency }: Finding, now: number): void {
    if (phase === 'closed') return
    const at = isoTime(now)
    const key = keyOf({ pattern_id: pattern.id, verdict: kind })
    const before = this.#events.get(key)
    const raised = phase === 'lasting' ? 0 : 1
    this.#events.delete(key)
    this.#events.set(key, {
      ...before,
      pattern_id: pattern.id,
      template: pattern.template,
      source: pattern.source,
      service: pattern.service,
      rule_name: pattern.rule,
      verdict: kind,
      sample_message: (samples[0] ?? before?.sample_message ?? '').slice(0, MAX_SAMPLE),
      count: (before?.count ?? 0) + frequency,
      occurrences: (before?.occurrences ?? 0) + raised,
      first_seen: before?.first_seen ?? at,
      last_seen: at,
    })
    for (const oldest of this.#events.keys()) if (this.#events.size > MAX_EVENTS) this.#events.delete(oldest)
    this.#dirty = true
  }

  /** Returns the entries, newest first. */
  events(): ShadowEvent[] {
    return [...this.#events.values()].reverse()
  }

  /** Returns the number of entries and incidents, and the number of entries by verdict. */
  stats(): { [count: string]: number } {
    const stats: { [count: string]: number } = { events: this.#events.size, would_have_raised: 0 }
    for (const { verdict, occurrences } of this.#events.values()) {
      stats.would_have_raised = (stats.would_have_raised ?? 0) + (Number(occurrences) || 0)
      stats[`verdict_${verdict}`] = (stats[`verdict_${verdict}`] ?? 0) + 1
    }
    return stats
  }

  /** Deletes all entries and returns how many there were. */
  clear(): number {
    const cleared = this.#events.size
    this.#events.clear()
    this.#dirty = true
    return cleared
  }

  /** Writes the file if there are changes. Throws storage_full, storage_down. */
  flush(now: number): void {
    if (!this.#dirty) return
    const events = [...this.#events.values()]
    this.#file.save({ ...this.#rest, version: 1, updated_at: isoTime(now), events })
    this.#dirty = false
  }
}

const keyOf = ({ pattern_id, verdict }: Pick<ShadowEvent, 'pattern_id' | 'verdict'>) => `${verdict}\n${pattern_id}`

function isEvent(value: unknown): value is ShadowEvent {
  return typeof value === 'object' && value !== null && typeof (value as ShadowEvent).pattern_id === 'string'
}
