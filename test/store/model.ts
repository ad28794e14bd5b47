import type { Submission } from '../../src/domain/commit.ts'
import type { ChannelName, DeliveryState } from '../../src/domain/delivery.ts'
import type { Dispatch, Settlement } from '../../src/domain/dispatch.ts'

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

/** Reference model of the store: a list of deliveries and a set of keys. */
export class Model {
  deliveries: Delivery[] = []
  keys = new Set<string>()
  incidents = new Map<number, string>()
  nextSeq = 1
  readonly #maxBacklog: number
  readonly #maxIncidents: number

  constructor({ maxBacklog, maxIncidents }: { maxBacklog: number; maxIncidents: number }) {
    this.#maxBacklog = maxBacklog
    this.#maxIncidents = maxIncidents
  }

  /** Returns the kind of result and the expected dispatches. */
  commit({ drafts, key }: Submission, withSlots: readonly ChannelName[], now: number) {
    if (key !== undefined && this.keys.has(key)) return { kind: 'duplicate', dispatches: [] }
    const open = this.unfinished().length
    if (open > 0 && open + drafts.length * CHANNELS.length > this.#maxBacklog)
      return { kind: 'refused', dispatches: [] }
    if (key !== undefined) this.keys.add(key)
    const dispatches: string[] = []
    for (const { id, content } of drafts) {
      const incident = this.nextSeq++
      this.incidents.set(incident, id)
      for (const channel of CHANNELS) {
        const waits = this.pending(channel).some(({ dueAt }) => dueAt <= now)
        const state = !waits && withSlots.includes(channel) ? 'sending' : 'pending'
        const fresh = { state, dueAt: now, attempts: 0, mayDuplicate: false } as const
        this.deliveries.push({ incident, channel, bytes: content.length, committedAt: now, ...fresh })
        if (state === 'sending') dispatches.push(`${incident} ${channel} 1 false`)
      }
    }
    return { kind: 'created', dispatches }
  }

  claim(channel: ChannelName, { slots, maxBytes, now }: { slots: number; maxBytes: number; now: number }): string[] {
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
  settle({ incident, destination, verdict, attempt }: Settlement): boolean {
    const delivery = this.deliveries.find((one) => one.incident === incident && one.channel === destination)
    if (delivery?.state !== 'sending') return false
    delivery.state = verdict.state === 'released' ? 'pending' : verdict.state
    if (verdict.state === 'pending') delivery.dueAt = verdict.at
    if (attempt !== undefined) delivery.attempts++
    delivery.mayDuplicate ||= attempt?.mayDuplicate ?? false
    return true
  }

  reclaim(channels: readonly ChannelName[]): number {
    const held = this.deliveries.filter(({ state, channel }) => state === 'sending' && channels.includes(channel))
    for (const delivery of held) Object.assign(delivery, { state: 'pending', mayDuplicate: true })
    return held.length
  }

  prune(maxRows: number): number {
    const finished = this.finished()
    const gone = finished.slice(0, Math.max(0, Math.min(maxRows, finished.length - this.#maxIncidents)))
    for (const incident of gone) this.incidents.delete(incident)
    this.deliveries = this.deliveries.filter(({ incident }) => !gone.includes(incident))
    return gone.length
  }

  replay(channel: ChannelName, now: number): number {
    const room = Math.max(0, this.#maxBacklog - this.unfinished().length)
    const dead = this.deliveries.filter((one) => one.state === 'dead' && one.channel === channel)
    const revived = dead.slice(0, Math.ceil(room / 2))
    for (const delivery of revived) Object.assign(delivery, { state: 'pending', attempts: 0, dueAt: now })
    return revived.length
  }

  pending(channel: ChannelName): Delivery[] {
    return this.deliveries.filter((one) => one.state === 'pending' && one.channel === channel)
  }
  unfinished(): Delivery[] {
    return this.deliveries.filter(({ state }) => state === 'pending' || state === 'sending')
  }
  finished(): number[] {
    const open = new Set(this.unfinished().map(({ incident }) => incident))
    return [...this.incidents.keys()].filter((incident) => !open.has(incident))
  }
}

/** Describes a dispatch as the model does. */
export const wordsOf = ({ incident, destination, attempt, mayDuplicate }: Dispatch) =>
  `${incident} ${destination} ${attempt} ${mayDuplicate}`
