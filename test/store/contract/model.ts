import type { ChannelName, DeliveryState } from '../../../src/domain/delivery/delivery.ts'
import type { MessageDispatch, Settlement } from '../../../src/domain/delivery/dispatch.ts'
import type { Submission } from '../../../src/domain/incident.ts'

export const CHANNELS = ['chatws', 'email'] as const satisfies readonly ChannelName[]

interface Delivery {
  readonly incident: number
  readonly channel: ChannelName
  readonly bytes: number
  readonly committedAt: number
  state: DeliveryState
  dueAt: number
  attempts: number
  mayDuplicate: boolean
}

/** Requests under consecutive numbers, as one entry of the journal. */
interface ModelEntry {
  readonly first: number
  readonly submissions: readonly Submission[]
}

export interface ModelTurn {
  readonly settlements: readonly Settlement[]
  readonly sendersLost: boolean
  readonly entries: readonly ModelEntry[]
  readonly capacity: ReadonlyMap<ChannelName, { readonly slots: number; readonly maxBytes: number }>
}

interface Limits {
  readonly maxBacklog: number
  readonly maxIncidents: number
}

/** Retention runs with the first turn after an opening, and then each time so many incidents were applied. */
const PRUNE_EVERY = 256

/** Reference model of a store: a list of deliveries and a map of keys. */
export class Model {
  deliveries: Delivery[] = []
  /** Id of the first incident of the request that used the key. */
  keys = new Map<string, string>()
  incidents = new Map<number, string>()
  /** Number of the last applied incident. */
  applied = 0
  readonly #limits: Limits
  #unpruned = PRUNE_EVERY

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Returns which settlements were of leased deliveries, and the expected dispatches. */
  turn({ settlements, sendersLost, entries, capacity }: ModelTurn, now: number) {
    const settled = settlements.map((settlement) => this.#settle(settlement))
    if (sendersLost) this.#reclaim()
    const rooms = new Map(Array.from(capacity, ([channel, room]) => [channel, { ...room, used: false }]))
    const dispatches: string[] = []
    let created = 0
    for (const { first, submissions } of entries) {
      let incident = first
      for (const { drafts, key } of submissions) {
        drafts.forEach(({ id, content }, at) => {
          const number = incident++
          if (number <= this.applied) return
          this.applied = number
          this.incidents.set(number, id)
          created++
          if (key !== undefined && at === 0) this.keys.set(key, id)
          for (const channel of CHANNELS)
            dispatches.push(
              ...this.#deliver({ incident: number, channel, bytes: content.length, committedAt: now }, rooms),
            )
        })
      }
    }
    for (const [channel, { slots, maxBytes }] of rooms)
      if (slots > 0 && maxBytes > 0) dispatches.push(...this.#claim(channel, { slots, maxBytes, now }))
    this.#unpruned += created
    if (this.#unpruned >= PRUNE_EVERY) this.prune(2 * this.#unpruned)
    this.#unpruned %= PRUNE_EVERY
    return { settled, dispatches }
  }

  /** A restart of the process, whether it crashed or not. */
  reopen(): void {
    this.#reclaim()
    this.#unpruned = PRUNE_EVERY
  }

  prune(maxRows: number): number {
    const finished = this.finished()
    const gone = finished.slice(0, Math.max(0, Math.min(maxRows, finished.length - this.#limits.maxIncidents)))
    for (const incident of gone) this.incidents.delete(incident)
    this.deliveries = this.deliveries.filter(({ incident }) => !gone.includes(incident))
    return gone.length
  }

  replay(channel: ChannelName, now: number): number {
    const room = Math.max(0, this.#limits.maxBacklog - this.unfinished().length)
    const dead = this.deliveries.filter((one) => one.state === 'dead' && one.channel === channel)
    const revived = dead.slice(0, Math.ceil(room / 2))
    for (const delivery of revived) Object.assign(delivery, { state: 'pending', attempts: 0, dueAt: now })
    return revived.length
  }

  pending(channel: ChannelName): Delivery[] {
    return this.deliveries.filter((one) => one.state === 'pending' && one.channel === channel)
  }
  sending(channel: ChannelName): Delivery[] {
    return this.deliveries.filter((one) => one.state === 'sending' && one.channel === channel)
  }
  unfinished(): Delivery[] {
    return this.deliveries.filter(({ state }) => state === 'pending' || state === 'sending')
  }
  finished(): number[] {
    const open = new Set(this.unfinished().map(({ incident }) => incident))
    return [...this.incidents.keys()].filter((incident) => !open.has(incident))
  }

  #deliver(
    delivery: Pick<Delivery, 'incident' | 'channel' | 'bytes' | 'committedAt'>,
    rooms: Map<ChannelName, { slots: number; maxBytes: number; used: boolean }>,
  ): string[] {
    const { channel, bytes, committedAt, incident } = delivery
    const room = rooms.get(channel)
    const waits = this.pending(channel).some(({ dueAt }) => dueAt <= committedAt)
    const fits = room !== undefined && room.slots > 0 && room.maxBytes > 0 && (!room.used || bytes <= room.maxBytes)
    const state = fits && !waits ? 'sending' : 'pending'
    this.deliveries.push({ ...delivery, state, dueAt: committedAt, attempts: 0, mayDuplicate: false })
    if (room === undefined || state === 'pending') return []
    Object.assign(room, { slots: room.slots - 1, maxBytes: room.maxBytes - bytes, used: true })
    return [`${incident} ${channel} 1 false`]
  }

  #claim(channel: ChannelName, { slots, maxBytes, now }: { slots: number; maxBytes: number; now: number }): string[] {
    const due = this.pending(channel)
      .filter(({ dueAt }) => dueAt <= now)
      .sort((a, b) => a.dueAt - b.dueAt || a.incident - b.incident)
    let bytes = 0
    const claimed = due.slice(0, slots)
    const tooMany = claimed.findIndex((delivery, at) => {
      bytes += delivery.bytes
      return at > 0 && bytes > maxBytes
    })
    return (tooMany === -1 ? claimed : claimed.slice(0, tooMany)).map((delivery) => {
      delivery.state = 'sending'
      return `${delivery.incident} ${channel} ${delivery.attempts + 1} ${delivery.mayDuplicate}`
    })
  }

  /** Returns false when the delivery is not leased. */
  #settle({ incident, destination, verdict, attempt }: Settlement): boolean {
    const delivery = this.deliveries.find((one) => one.incident === incident && one.channel === destination)
    if (delivery?.state !== 'sending') return false
    delivery.state = verdict.state === 'released' ? 'pending' : verdict.state
    if (verdict.state === 'pending') delivery.dueAt = verdict.at
    if (attempt !== undefined) delivery.attempts++
    delivery.mayDuplicate ||= attempt?.mayDuplicate ?? false
    return true
  }

  #reclaim(): void {
    const held = this.deliveries.filter(({ state }) => state === 'sending')
    for (const delivery of held) Object.assign(delivery, { state: 'pending', mayDuplicate: true })
  }
}

/** Describes a dispatch as the model does. */
export const wordsOf = ({ incident, destination, attempt, mayDuplicate }: MessageDispatch) =>
  `${incident} ${destination} ${attempt} ${mayDuplicate}`
