import { type Signal, signal } from '@preact/signals'
import { type EventFilter, matches } from '../../../src/domain/event-filter.ts'
import type { Hello } from '../../../src/domain/subscription.ts'
import { Connection, type ConnectionState, type TailFilter } from '../../live/connection.ts'
import { KINDS, type Kind, type ServerMessage, type TailEvent } from './events.ts'

/** Events that are kept to look back at; older ones go. */
export const KEPT = 5_000
/** Faster than anybody reads, slow enough to cost little. */
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
 * The events of one connection, bounded: `shown` is what the page draws, newest last; while it is held, what comes is kept aside and
 * counted, and of that too only the newest.
 */
export class Tail {
  readonly shown: Signal<readonly TailEvent[]> = signal<readonly TailEvent[]>([])
  /** By whom: a person, or the scrolling of one who looks at older events. */
  readonly held: Signal<'' | 'paused' | 'scrolled'> = signal('')
  /** Came while it was held. */
  readonly waiting: Signal<number> = signal(0)
  readonly perSecond: Signal<number> = signal(0)
  /** Events this page was never sent. */
  readonly missed: Signal<number> = signal(0)
  readonly choice: Signal<TailChoice> = signal<TailChoice>(EVERYTHING)
  readonly #connection: Connection
  readonly #timers: readonly ReturnType<typeof setInterval>[]
  #events: TailEvent[] = []
  #drawn = 0
  #received = 0
  #counted = 0

  constructor() {
    this.#connection = new Connection(filterOf(EVERYTHING), (line) => this.#take(JSON.parse(line) as ServerMessage))
    const draw = setInterval(() => this.#draw(), DRAW_MS)
    const count = setInterval(() => {
      this.perSecond.value = this.#received - this.#counted
      this.#counted = this.#received
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

  /** Goes on with the newest. */
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
        this.#add(message)
    }
  }

  /** A service that was started again knows of nothing that happened before. */
  #onHello({ resumed, missed, last_id }: Hello): void {
    if (missed > 0 || (!resumed && this.#connection.after !== '')) this.#addMissed(missed, last_id)
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

/** As the service picks them. */
function fits(event: TailEvent, { kinds, severity, channel, q }: TailChoice): boolean {
  const filter: EventFilter = {
    kinds,
    ...(severity && { severities: [severity] }),
    ...(channel && { channels: [channel] }),
    ...(q && { q: q.trim().toLowerCase() }),
  }
  return event.kind === 'missed' || matches(filter, event)
}
