import type { ChannelName } from '../../domain/delivery.ts'
import type { Status } from '../../domain/incident.ts'
import { CHANNEL_CODE } from '../engine/column-codes.ts'

/** What settling a delivery takes to know of it and its incident. */
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
 * What memory knows of deliveries that are handed out, so that settling one needs no query. It may know less than the database, never
 * anything else: whatever changes or undoes a hand-out makes it forget. Bounded by the places of the senders.
 */
export class InFlightCache {
  readonly #facts = new Map<number, DeliveryFacts>()

  add(incident: number, channel: ChannelName, facts: DeliveryFacts): void {
    this.#facts.set(keyOf(incident, channel), facts)
  }

  /** Forgets it as well. */
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

const CHANNELS = 16
const keyOf = (incident: number, channel: ChannelName) => incident * CHANNELS + CHANNEL_CODE[channel]
