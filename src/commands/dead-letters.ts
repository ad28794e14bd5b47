import type { DeliveryState } from '../domain/delivery.ts'
import { ask, type Service } from './service.ts'

/** Which dead letters are meant. */
export interface Choice {
  readonly channel: string | undefined
  /** Of an incident. */
  readonly id: string | undefined
}

interface Listed {
  readonly incident_id: string
  readonly channel: string
}

const PAGE = 500

export const keyOf = ({ incident_id, channel }: Listed) => `${incident_id} ${channel}`

/** Keys of all deliveries that are in the state. */
export async function lettersIn(service: Service, state: DeliveryState, choice: Choice): Promise<Set<string>> {
  if (choice.id !== undefined) return lettersOf(service, state, { ...choice, id: choice.id })
  const keys = new Set<string>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = new URLSearchParams({ state, limit: String(PAGE) })
    if (choice.channel !== undefined) query.set('channel', choice.channel)
    if (cursor !== undefined) query.set('cursor', cursor)
    const page = (await ask(service, `/api/admin/deliveries?${query}`)) as {
      readonly deliveries: readonly Listed[]
      readonly next_cursor: string | null
    }
    for (const delivery of page.deliveries) keys.add(keyOf(delivery))
    cursor = page.next_cursor
  }
  return keys
}

/** One incident says it in one answer. */
async function lettersOf(
  service: Service,
  state: DeliveryState,
  { channel, id }: { readonly channel: string | undefined; readonly id: string },
): Promise<Set<string>> {
  const { deliveries } = (await ask(service, `/api/admin/incidents/${encodeURIComponent(id)}`)) as {
    readonly deliveries: readonly (Listed & { readonly state: DeliveryState })[]
  }
  const meant = deliveries.filter((each) => each.state === state && (channel ?? each.channel) === each.channel)
  return new Set(meant.map((each) => keyOf({ incident_id: id, channel: each.channel })))
}

type Fate = 'waiting' | 'sent' | 'dead'

/** What has become of letters that are sent again. */
export class Letters {
  readonly #fates = new Map<string, Fate>()
  readonly count: { [fate in Fate]: number } = { waiting: 0, sent: 0, dead: 0 }
  #changed = () => {}

  constructor(keys: Iterable<string>) {
    for (const key of keys) this.#fates.set(key, 'waiting')
    this.count.waiting = this.#fates.size
  }

  get size(): number {
    return this.#fates.size
  }

  /** A letter that is none of these is left alone. */
  settle(key: string, fate: Fate): void {
    const before = this.#fates.get(key)
    if (before === undefined) return
    this.count[before]--
    this.count[fate]++
    this.#fates.set(key, fate)
    this.#changed()
  }

  /** Those that died again are tried again. */
  reopen(): void {
    for (const [key, fate] of this.#fates) if (fate === 'dead') this.settle(key, 'waiting')
  }

  /** By what the service lists now. */
  reconcile({
    dead,
    unfinished,
  }: {
    readonly dead: ReadonlySet<string>
    readonly unfinished: ReadonlySet<string>
  }): void {
    for (const [key, fate] of this.#fates)
      if (fate === 'waiting' && !unfinished.has(key)) this.settle(key, dead.has(key) ? 'dead' : 'sent')
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
