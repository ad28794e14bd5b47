import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'undici'
import { type Backoff, backoffMs } from '../domain/backoff.ts'
import type { TailEvent } from '../domain/event.ts'
import type { Hello, Missed } from '../domain/subscription.ts'
import { ServiceError } from './command.ts'
import { callApi, type Service } from './service.ts'

/** An event as the service tells it. */
type ReceivedEvent = TailEvent & { readonly id: string }
type Line = ReceivedEvent | Hello | Missed

export interface TailListener {
  /** `line`: its JSON. */
  event(event: ReceivedEvent, line: string): void
  /** So many events happened and are not told; undefined: nobody knows how many, if any. */
  gap(count: number | undefined): void
  /** Events are told from now on. */
  up(): void
  /** The connection is lost, and will be tried again. */
  down(reason: string, againInMs: number): void
}

interface FollowOptions {
  /** The query's part that filters. */
  readonly filterQuery: URLSearchParams
  /** Ends it. */
  readonly signal: AbortSignal
}

const RECONNECT: Backoff = { initialMs: 500, maxMs: 15_000 }
/** What the service closes with when coming back would not help. */
const NOT_ALLOWED = 1008
const FORBIDDEN = 403

/**
 * The live tail of a service, through breaks of the connection. Resolves when the signal ends it; rejects with a ServiceError when the service
 * cannot be reached at first, or refuses.
 */
export async function follow(
  service: Service,
  { filterQuery, signal }: FollowOptions,
  listener: TailListener,
): Promise<void> {
  const progress: Progress = { last: undefined, connections: 0 }
  for (let failures = 0; !signal.aborted; failures++) {
    const { connections } = progress
    const reason = await connection(service, { filterQuery, signal }, { watcher: listener, progress }).catch(
      (error) => {
        if (error instanceof ServiceError && error.mayPass && progress.connections > 0) return error.message
        throw error
      },
    )
    if (signal.aborted) return
    if (progress.connections > connections) failures = 0
    const waitMs = backoffMs(failures + 1, RECONNECT) * (0.5 + Math.random() / 2)
    listener.down(reason, waitMs)
    await pause(waitMs, undefined, { signal }).catch(() => {})
  }
}

interface Progress {
  /** Id of the last event that was told. */
  last: string | undefined
  /** Times that the service said hello. */
  connections: number
}

/** Resolves with why it ended. */
async function connection(
  service: Service,
  { filterQuery, signal }: FollowOptions,
  { watcher: listener, progress }: { readonly watcher: TailListener; readonly progress: Progress },
): Promise<string> {
  const { ticket } = (await callApi(service, '/api/admin/tail/ticket', { method: 'POST' })) as { ticket: string }
  const query = new URLSearchParams(filterQuery)
  query.set('ticket', ticket)
  if (progress.last !== undefined) query.set('after', progress.last)
  const url = `${service.url.replace(/^http/, 'ws')}/api/admin/tail?${query}`
  const socket = new WebSocket(url, { dispatcher: service.dispatcher })
  const end = () => socket.close()
  signal.addEventListener('abort', end)
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.addEventListener('message', ({ data }) => {
        for (const line of String(data).split('\n')) receive(line, listener, progress)
      })
      socket.addEventListener('error', () => {})
      socket.addEventListener('close', ({ code, reason }) => {
        if (code === NOT_ALLOWED) reject(new ServiceError(`${service.url}: ${reason}`, FORBIDDEN))
        else if (progress.connections === 0) reject(new ServiceError(`${service.url} does not open its live tail`))
        else resolve(reason === '' ? 'the connection broke' : reason)
      })
    })
  } finally {
    signal.removeEventListener('abort', end)
  }
}

function receive(text: string, listener: TailListener, progress: Progress): void {
  const line = JSON.parse(text) as Line
  switch (line.kind) {
    case 'hello': {
      const isBack = ++progress.connections > 1
      progress.last ??= line.last_id
      if (isBack && !line.resumed) {
        progress.last = line.last_id
        listener.gap(undefined)
      } else if (line.missed > 0) listener.gap(line.missed)
      return listener.up()
    }
    case 'missed':
      progress.last = line.id
      return listener.gap(line.count)
    default:
      progress.last = line.id
      listener.event(line, text)
  }
}
