import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'undici'
import type { TailTicket } from '../api/tail.ts'
import { type Backoff, backoffMs } from '../domain/delivery/backoff.ts'
import type { TailEvent } from '../domain/event.ts'
import type { Hello, Missed } from '../domain/subscription.ts'
import { ServiceError } from './command.ts'
import { callApi, type Service } from './service.ts'

/** An event as the service sends it. */
type ReceivedEvent = TailEvent & { readonly id: string }
type Line = ReceivedEvent | Hello | Missed

export interface TailListener {
  /** @param line its JSON */
  event(event: ReceivedEvent, line: string): void
  /** `count` events were missed; undefined: an unknown number, possibly none. */
  gap(count: number | undefined): void
  /** The connection stands: events follow. */
  up(): void
  /** The connection is lost; the next attempt is in `againInMs`. */
  down(reason: string, againInMs: number): void
}

interface FollowOptions {
  /** The filter, as query parameters. */
  readonly filterQuery: URLSearchParams
  /** Ends following. */
  readonly signal: AbortSignal
}

const RECONNECT: Backoff = { initialMs: 500, maxMs: 15_000 }
/** The code with which the service closes a connection that may not come back: the secret has changed. */
const NOT_ALLOWED = 1008
const FORBIDDEN = 403

/**
 * Follows the live tail of a service and connects again after breaks, without losing events as far as the service has
 * kept them. Resolves when the signal is aborted. Rejects with a ServiceError when the first connection fails, or the
 * service refuses.
 */
export async function follow(service: Service, options: FollowOptions, listener: TailListener): Promise<void> {
  const { signal } = options
  const following: Following = { ...options, service, listener, last: undefined, connections: 0 }
  for (let failures = 0; !signal.aborted; failures++) {
    const { connections } = following
    const reason = await connection(following).catch((error) => {
      if (error instanceof ServiceError && error.mayPass && following.connections > 0) return error.message
      throw error
    })
    if (signal.aborted) return
    if (following.connections > connections) failures = 0
    const waitMs = backoffMs(failures + 1, RECONNECT) * (0.5 + Math.random() / 2)
    listener.down(reason, waitMs)
    await pause(waitMs, undefined, { signal }).catch(() => {})
  }
}

interface Following extends FollowOptions {
  readonly service: Service
  readonly listener: TailListener
  /** Id of the last event that was received. */
  last: string | undefined
  /** Number of connections that the service has opened. */
  connections: number
}

/** Runs one connection; resolves with the reason for its end. */
async function connection(following: Following): Promise<string> {
  const { service, filterQuery, signal } = following
  const { ticket } = await callApi<TailTicket>(service, '/api/admin/tail/ticket', { method: 'POST' })
  const query = new URLSearchParams(filterQuery)
  query.set('ticket', ticket)
  if (following.last !== undefined) query.set('after', following.last)
  const url = `${service.url.replace(/^http/, 'ws')}/api/admin/tail?${query}`
  const socket = new WebSocket(url, { dispatcher: service.dispatcher })
  const end = () => socket.close()
  signal.addEventListener('abort', end)
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.addEventListener('message', ({ data }) => {
        for (const line of String(data).split('\n')) receive(line, following)
      })
      socket.addEventListener('error', () => {})
      socket.addEventListener('close', ({ code, reason }) => {
        if (code === NOT_ALLOWED) reject(new ServiceError(`${service.url}: ${reason}`, FORBIDDEN))
        else if (following.connections === 0) reject(new ServiceError(`${service.url} does not open its live tail`))
        else resolve(reason === '' ? 'the connection broke' : reason)
      })
    })
  } finally {
    signal.removeEventListener('abort', end)
  }
}

function receive(text: string, following: Following): void {
  const { listener } = following
  const line = JSON.parse(text) as Line
  switch (line.kind) {
    case 'hello': {
      const isBack = ++following.connections > 1
      following.last ??= line.last_id
      if (isBack && !line.resumed) {
        following.last = line.last_id
        listener.gap(undefined)
      } else if (line.missed > 0) listener.gap(line.missed)
      return listener.up()
    }
    case 'missed':
      following.last = line.id
      return listener.gap(line.count)
    default:
      following.last = line.id
      listener.event(line, text)
  }
}
