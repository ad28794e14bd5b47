import { type Signal, signal } from '@preact/signals'
import type { TailTicket } from '../../src/api/tail.ts'
import { type Backoff, backoffMs } from '../../src/domain/delivery/backoff.ts'
import { post } from '../api/client.ts'

export type ConnectionState = 'connecting' | 'open' | 'waiting'

/** Which events the service sends; a part that is absent lets all through. */
export interface TailFilter {
  readonly kinds?: readonly string[]
  readonly channel?: string
  readonly severity?: string
  readonly q?: string
}

const RECONNECT: Backoff = { initialMs: 1_000, maxMs: 15_000 }

/**
 * One WebSocket to the live tail. When it ends it connects again after 1 to 15 s, with a new ticket, and goes on after
 * the last event.
 *
 * - connecting: asks for a ticket, opens the socket; leaves to open, waiting
 * - open: receives events; leaves to waiting
 * - waiting: waits until the next attempt; leaves to connecting
 */
export class Connection {
  readonly state: Signal<ConnectionState> = signal<ConnectionState>('connecting')
  readonly #receive: (line: string) => void
  readonly #newest: number
  #filter: TailFilter
  #socket: WebSocket | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #closed = false
  /** Id of the last event; the next connection goes on after it. */
  after = ''

  /** @param newest number of kept events that the first connection asks for */
  constructor(filter: TailFilter, receive: (line: string) => void, { newest = 0 }: { readonly newest?: number } = {}) {
    this.#filter = filter
    this.#receive = receive
    this.#newest = newest
    void this.#connect()
  }

  /** Takes effect at once when the socket is open, otherwise with the next connection. */
  setFilter(filter: TailFilter): void {
    this.#filter = filter
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ kind: 'filter', ...filter }))
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    const socket = this.#socket
    // A browser reports an error when a socket is closed before it is open.
    if (socket?.readyState === WebSocket.CONNECTING) {
      socket.onmessage = null
      socket.onopen = () => socket.close()
    } else socket?.close()
  }

  async #connect(): Promise<void> {
    this.state.value = 'connecting'
    try {
      const { ticket } = await post<TailTicket>('/api/admin/tail/ticket')
      if (!this.#closed) this.#open(ticket)
    } catch {
      this.#scheduleReconnect()
    }
  }

  #open(ticket: string): void {
    const { kinds, channel = '', severity = '', q = '' } = this.#filter
    const newest = this.after === '' && this.#newest > 0 ? String(this.#newest) : ''
    const given = { ticket, kinds: kinds?.join(',') ?? '', channel, severity, q, after: this.after, newest }
    const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''))
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/admin/tail?${query}`)
    this.#socket = socket
    const asked = this.#filter
    socket.onopen = () => {
      this.state.value = 'open'
      this.#failures = 0
      if (asked !== this.#filter) this.setFilter(this.#filter)
    }
    socket.onmessage = ({ data }) => {
      for (const line of String(data).split('\n')) this.#receive(line)
    }
    socket.onclose = () => this.#scheduleReconnect()
  }

  #scheduleReconnect(): void {
    if (this.#closed) return
    this.state.value = 'waiting'
    const waitMs = backoffMs(++this.#failures, RECONNECT) * (0.75 + Math.random() / 2)
    this.#timer = setTimeout(() => void this.#connect(), waitMs)
  }
}
