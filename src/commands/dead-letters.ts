import type { DeliveryState } from '../domain/delivery.ts'
import { callApi, type Service } from './service.ts'

/** Which dead letters are meant. */
export interface DeadLetterFilter {
  readonly channel: string | undefined
  /** Of an incident. */
  readonly id: string | undefined
}

interface DeliveryKey {
  readonly incident_id: string
  readonly channel: string
}

const PAGE = 500

export const keyOf = ({ incident_id, channel }: DeliveryKey) => `${incident_id} ${channel}`

/** Keys of all deliveries that are in the state. */
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
    const page = (await callApi(service, `/api/admin/deliveries?${query}`)) as {
      readonly deliveries: readonly DeliveryKey[]
      readonly next_cursor: string | null
    }
    for (const delivery of page.deliveries) keys.add(keyOf(delivery))
    cursor = page.next_cursor
  }
  return keys
}

/** One incident says it in one answer. */
async function incidentDeliveryKeys(
  service: Service,
  state: DeliveryState,
  { channel, id }: { readonly channel: string | undefined; readonly id: string },
): Promise<Set<string>> {
  const { deliveries } = (await callApi(service, `/api/admin/incidents/${encodeURIComponent(id)}`)) as {
    readonly deliveries: readonly (DeliveryKey & { readonly state: DeliveryState })[]
  }
  const meant = deliveries.filter((each) => each.state === state && (channel ?? each.channel) === each.channel)
  return new Set(meant.map((each) => keyOf({ incident_id: id, channel: each.channel })))
}

type ReplayOutcome = 'waiting' | 'sent' | 'dead'

/** What has become of letters that are sent again. */
export class DeadLetterBatch {
  readonly #outcomes = new Map<string, ReplayOutcome>()
  readonly count: { [fate in ReplayOutcome]: number } = { waiting: 0, sent: 0, dead: 0 }
  #changed = () => {}

  constructor(keys: Iterable<string>) {
    for (const key of keys) this.#outcomes.set(key, 'waiting')
    this.count.waiting = this.#outcomes.size
  }

  get size(): number {
    return this.#outcomes.size
  }

  /** A letter that is none of these is left alone. */
  finish(key: string, outcome: ReplayOutcome): void {
    const before = this.#outcomes.get(key)
    if (before === undefined) return
    this.count[before]--
    this.count[outcome]++
    this.#outcomes.set(key, outcome)
    this.#changed()
  }

  /** Those that died again are tried again. */
  reopen(): void {
    for (const [key, outcome] of this.#outcomes) if (outcome === 'dead') this.finish(key, 'waiting')
  }

  /** By what the service lists now. */
  reconcile({
    dead,
    unfinished: waiting,
  }: {
    readonly dead: ReadonlySet<string>
    readonly unfinished: ReadonlySet<string>
  }): void {
    for (const [key, outcome] of this.#outcomes)
      if (outcome === 'waiting' && !waiting.has(key)) this.finish(key, dead.has(key) ? 'dead' : 'sent')
  }

  /** Resolves when so many have ended; `onChange` is told how many have. */
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
