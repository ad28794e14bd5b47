import type { ChannelName } from '../../domain/delivery.ts'
import type { Status } from '../../domain/incident.ts'
import { CHANNEL_CODE } from '../engine/column-codes.ts'

/** Facts of a delivery and its incident that settling needs. */
export interface DeliveryFacts {
  readonly id: string
  readonly title: string
  readonly severity: string
  /** Epoch milliseconds, as `next_attempt_at`. */
  readonly created_at: number
  readonly status: Status
  readonly fingerprint: string
  readonly target: string | null
  readonly attempts: number
  readonly earlier_attempts: number
  readonly may_duplicate: number
  readonly next_attempt_at: number
}

/**
 * Cache of leased rows, so that settling one needs no query. It may miss rows, but never differs from the database:
 * every change or undo of a lease removes its entry. Bounded by the slots of the senders.
 */
export class InFlightCache {
  readonly #facts = new Map<number, DeliveryFacts>()

  add(incident: number, channel: ChannelName, facts: DeliveryFacts): void {
    this.#facts.set(keyOf(incident, channel), facts)
  }

  /** Returns the facts and removes them; undefined when they are not cached. */
  remove(incident: number, channel: ChannelName): DeliveryFacts | undefined {
    const key = keyOf(incident, channel)
    const facts = this.#facts.get(key)
    if (facts !== undefined) this.#facts.delete(key)
    return facts
  }

  clear(): void {
    this.#facts.clear()
  }
}

/** One number for incident and channel; above every channel code. */
const MAX_CHANNELS = 16
const keyOf = (incident: number, channel: ChannelName) => incident * MAX_CHANNELS + CHANNEL_CODE[channel]
