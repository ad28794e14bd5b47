import type { Status } from '../../domain/incident.ts'

/** Columns of a leased dispatch that its settlement needs. */
export interface LeasedRow {
  readonly attempts: number
  readonly earlier_attempts: number
  readonly may_duplicate: number
  readonly due_at: number | null
  readonly target: string | null
  readonly rank: number
}

/** Facts of a delivery and its incident that settling needs. */
export interface DeliveryFacts extends LeasedRow {
  readonly id: string
  readonly title: string
  readonly severity: string
  /** Epoch milliseconds. */
  readonly created_at: number
  readonly status: Status
  readonly fingerprint: string
  /** Number of the silence that held the incident; null: none did. */
  readonly silence: number | null
}

/**
 * Cache of leased deliveries, so that settling one needs no query. It may miss rows, but never differs from the
 * database: every change or undo of a lease removes its entry. Bounded by the slots of the senders.
 */
export class InFlightCache {
  readonly #facts = new Map<string, DeliveryFacts>()

  add(incident: number, code: number, facts: DeliveryFacts): void {
    this.#facts.set(cacheKey(incident, code), facts)
  }

  /** False does not mean that the delivery is not leased. */
  has(incident: number, code: number): boolean {
    return this.#facts.has(cacheKey(incident, code))
  }

  /** Returns the incidents whose deliveries to the destination are leased, as far as they are cached. */
  incidents(code: number): number[] {
    return [...this.#facts.keys()].flatMap((key) => (key.endsWith(` ${code}`) ? Number.parseInt(key, 10) : []))
  }

  /**
   * Counts the leased deliveries of incidents created before a time, epoch milliseconds, without those that a silence
   * held or an operator sent again.
   */
  createdBefore(at: number): number {
    let count = 0
    for (const { created_at, silence, earlier_attempts } of this.#facts.values())
      if (created_at < at && silence === null && earlier_attempts === 0) count++
    return count
  }

  /** Returns the facts and removes them; undefined when they are not cached. */
  remove(incident: number, code: number): DeliveryFacts | undefined {
    const key = cacheKey(incident, code)
    const facts = this.#facts.get(key)
    if (facts !== undefined) this.#facts.delete(key)
    return facts
  }

  clear(): void {
    this.#facts.clear()
  }
}

const cacheKey = (incident: number, code: number) => `${incident} ${code}`
