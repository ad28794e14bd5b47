import type { DeliveryPage } from '../api/delivery.ts'
import type { IncidentDetail } from '../api/incident.ts'
import { type DeliveryState, destinationName } from '../domain/delivery/delivery.ts'
import { callApi, type Service } from './service.ts'

/** Selects dead letters; undefined selects all. */
export interface DeadLetterFilter {
  readonly channel: string | undefined
  /** Id of an incident. */
  readonly id: string | undefined
}

interface DeliveryKey {
  readonly incident_id: string
  readonly channel: string
  /** Null for the default destination of the channel. */
  readonly target: string | null
}

const PAGE = 500

export const keyOf = (delivery: DeliveryKey) => `${delivery.incident_id} ${destinationName(delivery)}`

/** Returns the keys of all deliveries in a state. Rejects with a ServiceError. */
export async function deliveryKeysIn(
  service: Service,
  state: DeliveryState,
  filter: DeadLetterFilter,
): Promise<Set<string>> {
  if (filter.id !== undefined) return incidentDeliveryKeys(service, state, { ...filter, id: filter.id })
  const keys = new Set<string>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = new URLSearchParams({ state, limit: String(PAGE) })
    if (filter.channel !== undefined) query.set('channel', filter.channel)
    if (cursor !== undefined) query.set('cursor', cursor)
    const page: DeliveryPage = await callApi(service, `/api/admin/deliveries?${query}`)
    for (const delivery of page.deliveries) keys.add(keyOf(delivery))
    cursor = page.next_cursor
  }
  return keys
}

/** Reads the deliveries of one incident with one request. */
async function incidentDeliveryKeys(
  service: Service,
  state: DeliveryState,
  { channel, id }: { readonly channel: string | undefined; readonly id: string },
): Promise<Set<string>> {
  const { deliveries } = await callApi<IncidentDetail>(service, `/api/admin/incidents/${encodeURIComponent(id)}`)
  const meant = deliveries.filter((each) => each.state === state && (channel ?? each.channel) === each.channel)
  return new Set(meant.map((each) => keyOf({ ...each, incident_id: id })))
}

type ReplayOutcome = 'waiting' | 'sent' | 'dead'

/** Outcomes of dead letters that are sent again. */
export class DeadLetterBatch {
  readonly #outcomes = new Map<string, ReplayOutcome>()
  readonly count: { [outcome in ReplayOutcome]: number } = { waiting: 0, sent: 0, dead: 0 }
  #changed = () => {}

  constructor(keys: Iterable<string>) {
    for (const key of keys) this.#outcomes.set(key, 'waiting')
    this.count.waiting = this.#outcomes.size
  }

  get size(): number {
    return this.#outcomes.size
  }

  /** Records an outcome; ignores deliveries that are not in the batch. */
  finish(key: string, outcome: ReplayOutcome): void {
    const before = this.#outcomes.get(key)
    if (before === undefined) return
    this.count[before]--
    this.count[outcome]++
    this.#outcomes.set(key, outcome)
    this.#changed()
  }

  /** Makes letters that died again wait again. */
  reopen(): void {
    for (const [key, outcome] of this.#outcomes) if (outcome === 'dead') this.finish(key, 'waiting')
  }

  /** Sets the outcomes of waiting letters by the lists of the service. */
  reconcile({ dead, unfinished }: { readonly [list in 'dead' | 'unfinished']: ReadonlySet<string> }): void {
    for (const [key, outcome] of this.#outcomes)
      if (outcome === 'waiting' && !unfinished.has(key)) this.finish(key, dead.has(key) ? 'dead' : 'sent')
  }

  /** Resolves when `count` letters have an outcome; calls `onChange` with their number after each change. */
  async ended(count: number, onChange: (ended: number) => void): Promise<void> {
    for (;;) {
      const ended = this.size - this.count.waiting
      onChange(ended)
      if (ended >= count) return
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }
}
