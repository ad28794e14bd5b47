import type { JsonFile } from '../../files/contract.ts'
import type { Finding } from '../contract.ts'

/** What would have been raised about one pattern; files of earlier versions may lack fields and hold others. */
export interface ShadowEvent {
  readonly pattern_id: string
  readonly template: string
  readonly source: string
  readonly service: string
  readonly rule_name: string
  readonly verdict: string
  readonly sample_message: string
  /** Lines. */
  readonly count: number
  /** Incidents there would have been. */
  readonly occurrences: number
  /** ISO 8601. */
  readonly first_seen: string
  readonly last_seen: string
  readonly [field: string]: unknown
}

const MAX_EVENTS = 1_000
const MAX_SAMPLE = 4_000

/** shadow.json: one entry a pattern and verdict, the one that was seen longest ago makes room. */
export class ShadowLog {
  readonly #file: JsonFile
  readonly #rest: { readonly [field: string]: unknown }
  /** Seen last comes last. */
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
    const at = new Date(now).toISOString()
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

  /** Newest first. */
  events(): ShadowEvent[] {
    return [...this.#events.values()].reverse()
  }

  /** Flat counts. */
  stats(): { [count: string]: number } {
    const stats: { [count: string]: number } = { events: this.#events.size, would_have_raised: 0 }
    for (const { verdict, occurrences } of this.#events.values()) {
      stats.would_have_raised = (stats.would_have_raised ?? 0) + (Number(occurrences) || 0)
      stats[`verdict_${verdict}`] = (stats[`verdict_${verdict}`] ?? 0) + 1
    }
    return stats
  }

  /** Returns how many went. */
  clear(): number {
    const cleared = this.#events.size
    this.#events.clear()
    this.#dirty = true
    return cleared
  }

  /** Writes what has changed. Throws a CodedError of the disk. */
  flush(now: number): void {
    if (!this.#dirty) return
    const events = [...this.#events.values()]
    this.#file.save({ ...this.#rest, version: 1, updated_at: new Date(now).toISOString(), events })
    this.#dirty = false
  }
}

const keyOf = ({ pattern_id, verdict }: Pick<ShadowEvent, 'pattern_id' | 'verdict'>) => `${verdict}\n${pattern_id}`

function isEvent(value: unknown): value is ShadowEvent {
  return typeof value === 'object' && value !== null && typeof (value as ShadowEvent).pattern_id === 'string'
}
