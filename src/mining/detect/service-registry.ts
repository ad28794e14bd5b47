import type { Service } from '../contract.ts'
import { asFields, asTime, timeText } from '../fields.ts'

interface ServiceEntry {
  readonly firstSeenMs: number
  lastSeenMs: number
  graceFromMs: number
  /** Set when an operator ended the grace period. */
  graceEndedMs: number | undefined
  readonly extra: { readonly [field: string]: unknown }
}

const MAX_SERVICES = 5_000

/** Services and their grace periods, in which new patterns are learned instead of reported. Holds at most 5,000. */
export class ServiceRegistry {
  readonly #graceMs: number
  readonly #entries = new Map<string, ServiceEntry>()

  constructor(graceMs: number) {
    this.#graceMs = graceMs
  }

  /** Records a line of a service. A new service begins its grace period. */
  see(name: string, atMs: number): void {
    const entry = this.#entries.get(name)
    if (entry) entry.lastSeenMs = atMs
    else if (name !== '')
      this.#add(name, { firstSeenMs: atMs, lastSeenMs: atMs, graceFromMs: atMs, graceEndedMs: undefined, extra: {} })
  }

  inGrace(name: string, atMs: number): boolean {
    const entry = this.#entries.get(name)
    return entry !== undefined && atMs < this.#graceEnds(entry)
  }

  list(): Service[] {
    return Array.from(this.#entries, ([name, entry]) => this.#view(name, entry))
  }

  grace(name: string, action: 'end' | 'restart', atMs: number): Service | undefined {
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    if (action === 'restart') entry.graceFromMs = atMs
    entry.graceEndedMs = action === 'end' ? atMs : undefined
    return this.#view(name, entry)
  }

  /** Adds a stored service. Returns false when the entry cannot be used. */
  restore(name: string, stored: unknown): boolean {
    const fields = asFields(stored)
    const firstSeenMs = asTime(fields?.first_seen)
    if (!fields || firstSeenMs === undefined || name === '') return false
    const graceFromMs = asTime(fields.grace_from) ?? firstSeenMs
    const entry = {
      firstSeenMs,
      lastSeenMs: firstSeenMs,
      graceFromMs,
      graceEndedMs: asTime(fields.grace_ended),
      extra: fields,
    }
    this.#add(name, entry)
    return true
  }

  snapshot() {
    return Object.fromEntries(Array.from(this.#entries, ([name, entry]) => [name, storedService(entry)]))
  }

  #add(name: string, entry: ServiceEntry): void {
    if (this.#entries.size >= MAX_SERVICES) {
      const [oldest] = [...this.#entries].reduce((a, b) => (b[1].lastSeenMs < a[1].lastSeenMs ? b : a))
      this.#entries.delete(oldest)
    }
    this.#entries.set(name, entry)
  }

  #graceEnds({ graceFromMs, graceEndedMs }: ServiceEntry): number {
    return graceEndedMs ?? graceFromMs + this.#graceMs
  }

  #view(name: string, entry: ServiceEntry): Service {
    return { name, firstSeenMs: entry.firstSeenMs, graceEndsMs: this.#graceEnds(entry) }
  }
}

function storedService({ extra, firstSeenMs, graceFromMs, graceEndedMs }: ServiceEntry) {
  const { grace_from: _from, grace_ended: _ended, ...kept } = extra
  return {
    ...kept,
    first_seen: timeText(firstSeenMs, extra.first_seen),
    ...(graceFromMs !== firstSeenMs && { grace_from: timeText(graceFromMs) }),
    ...(graceEndedMs !== undefined && { grace_ended: timeText(graceEndedMs) }),
  }
}
