import { type Signal, signal } from '@preact/signals'
import { type EventFilter, matches } from '../../../src/domain/event-filter.ts'
import type { Hello } from '../../../src/domain/subscription.ts'
import { Connection, type ConnectionState, type TailFilter } from '../../live/connection.ts'
import { KINDS, type Kind, type ServerMessage, type TailEvent } from './events.ts'
import { storedBefore } from './stored.ts'

/** Events that the page keeps; older ones are dropped. */
export const KEPT = 5_000
/** Events from before the page was opened; kept ones arrive within `HISTORY_MS` after the connection stands. */
const NEWEST = 50
const HISTORY_MS = 250
/** Faster than a person reads, and cheap: a thousand events a second are eight updates of the page. */
const DRAW_MS = 125
const RATE_MS = 1_000

interface TailChoice {
  readonly kinds: readonly Kind[]
  readonly severity: string
  readonly channel: string
  readonly q: string
}

const EVERYTHING: TailChoice = { kinds: KINDS, severity: '', channel: '', q: '' }

/**
 * The events of one connection. `shown` has at most `KEPT`, newest last. While the list is held, new events are counted
 * and kept apart, at most twice `KEPT` of them.
 */
export class Tail {
  readonly shown: Signal<readonly TailEvent[]> = signal<readonly TailEvent[]>([])
  /** Why the list does not move: '' (it moves), the pause button, or a reader who has scrolled down to older events. */
  readonly held: Signal<'' | 'paused' | 'scrolled'> = signal('')
  /** Events since the list was held. */
  readonly waiting: Signal<number> = signal(0)
  readonly perSecond: Signal<number> = signal(0)
  /** Events that happened and were not sent to this page. */
  readonly missed: Signal<number> = signal(0)
  readonly choice: Signal<TailChoice> = signal<TailChoice>(EVERYTHING)
  readonly #connection: Connection
  readonly #timers: ReturnType<typeof setTimeout>[]
  #events: TailEvent[] = []
  #received = 0
  /** `#received` when the page was drawn last. */
  #drawn = 0
  /** Events that happened since the page was opened, and how many of them `perSecond` has counted. */
  #happened = 0
  #counted = 0
  /** Id of the last event before this connection; ids sort as text. */
  #lastBefore = ''

  constructor() {
    const take = (line: string) => this.#take(JSON.parse(line) as ServerMessage)
    this.#connection = new Connection(filterOf(EVERYTHING), take, { newest: NEWEST })
    const draw = setInterval(() => this.#draw(), DRAW_MS)
    const count = setInterval(() => {
      this.perSecond.value = this.#happened - this.#counted
      this.#counted = this.#happened
    }, RATE_MS)
    this.#timers = [draw, count]
  }

  get state(): Signal<ConnectionState> {
    return this.#connection.state
  }

  choose(choice: TailChoice): void {
    this.choice.value = choice
    this.#connection.setFilter(filterOf(choice))
    this.#events = this.#events.filter((event) => fits(event, choice))
    this.shown.value = this.shown.peek().filter((event) => fits(event, choice))
  }

  hold(by: 'paused' | 'scrolled'): void {
    if (this.held.peek() !== '') return
    this.#draw()
    this.held.value = by
  }

  /** Lets the list move again, with the newest on top. */
  follow(): void {
    this.held.value = ''
    this.#draw()
  }

  clear(): void {
    this.#events = []
    this.shown.value = []
    this.waiting.value = 0
    this.missed.value = 0
    this.#drawn = this.#received
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#connection.close()
  }

  #take(message: ServerMessage): void {
    switch (message.kind) {
      case 'hello':
        return this.#onHello(message)
      case 'missed':
        this.#connection.after = message.id
        return this.#addMissed(message.count, message.id)
      default:
        this.#connection.after = message.id
        if (message.id > this.#lastBefore) this.#happened++
        this.#add(message)
    }
  }

  /** Notes a gap: events that are no longer kept, or an unknown number of them after a restart of the service. */
  #onHello({ resumed, missed, last_id }: Hello): void {
    this.#lastBefore = last_id
    if (this.#connection.after === '') this.#timers.push(setTimeout(() => void this.#addStored(), HISTORY_MS))
    if (missed > 0 || (!resumed && this.#connection.after !== '')) this.#addMissed(missed, last_id)
  }

  /** Adds incidents of the database up to `NEWEST` events: the service keeps events only while a client watches. */
  async #addStored(): Promise<void> {
    const stored = await storedBefore(this.#events, NEWEST)
    this.#events.unshift(...stored.filter((event) => fits(event, this.choice.peek())))
    if (this.held.peek() === '') this.shown.value = this.#events.slice(-KEPT)
  }

  #addMissed(count: number, id: string): void {
    this.missed.value += count
    this.#add({ kind: 'missed', id, at: new Date().toISOString(), count })
  }

  #add(event: TailEvent): void {
    this.#received++
    this.#events.push(event)
    if (this.#events.length > 2 * KEPT) this.#events = this.#events.slice(-KEPT)
  }

  #draw(): void {
    if (this.#received === this.#drawn) return
    if (this.held.peek() !== '') {
      this.waiting.value = this.#received - this.#drawn
      return
    }
    this.#drawn = this.#received
    this.waiting.value = 0
    this.shown.value = this.#events.slice(-KEPT)
  }
}

function filterOf({ kinds, severity, channel, q }: TailChoice): TailFilter {
  return { kinds, ...(severity && { severity }), ...(channel && { channel }), ...(q && { q }) }
}

/** Applies the same filter as the service, to events that are already here. */
function fits(event: TailEvent, { kinds, severity, channel, q }: TailChoice): boolean {
  const filter: EventFilter = {
    kinds,
    ...(severity && { severities: [severity] }),
    ...(channel && { channels: [channel] }),
    ...(q && { q: q.trim().toLowerCase() }),
  }
  return event.kind === 'missed' || matches(filter, event)
}
