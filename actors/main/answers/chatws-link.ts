import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { Dispatcher, ping, WebSocket } from 'undici'
import type { Clock } from '../../../src/kernel/clock.ts'

const MAX_FRAME_BYTES = 256 * 1024
const CONNECT_MS = 15_000
/** A ping goes out with every second beat, its pong is there at the next one. */
const BEAT_MS = 5_000
/** Slack pings every few seconds. */
const SERVER_PING_MS = 30_000

/** Sends by another dispatcher. Those for proxies drop the bound of undici's own option, and no WebSocket shows its socket. */
class LinkDispatcher extends Dispatcher {
  readonly webSocketOptions = { maxPayloadSize: MAX_FRAME_BYTES }
  socket: Socket | undefined
  readonly #inner: Dispatcher
  constructor(inner: Dispatcher) {
    super()
    this.#inner = inner
  }
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const onRequestUpgrade: Dispatcher.DispatchHandler['onRequestUpgrade'] = (controller, status, headers, socket) => {
      this.socket = socket as Socket
      handler.onRequestUpgrade?.(controller, status, headers, socket)
    }
    return this.#inner.dispatch(options, { ...handler, onRequestUpgrade })
  }
}

/** One connection of Socket Mode. */
export interface Link {
  /** Does nothing when the connection is lost. */
  send(text: string): void
  /** Called when Slack has greeted: it may take longer to become useful. */
  greeted(): void
  /** Closes it at once. */
  end(why: string): void
}

interface LinkEvents {
  frame(text: string): void
  /** Called once, for every end. */
  ended(why: string): void
}

/**
 * Opens a connection. It ends when it is not greeted within 15 s, when a ping gets no pong within 5 s, and 30 s after the
 * last ping of the server.
 */
export function openLink(url: string, inner: Dispatcher, { clock, on }: { clock: Clock; on: LinkEvents }): Link {
  const dispatcher = new LinkDispatcher(inner)
  const socket = new WebSocket(url, { dispatcher })
  let ended = false
  let why = 'the connection broke'
  let timer = clock.setTimer(CONNECT_MS, () => end('no greeting'))
  let awaitsPong = false
  let pingedAt: number | undefined

  const isOwn = (message: unknown) => (message as { websocket?: unknown }).websocket === socket
  const onPing = (message: unknown) => {
    if (isOwn(message)) pingedAt = clock.elapsed()
  }
  const onPong = (message: unknown) => {
    if (isOwn(message)) awaitsPong = false
  }
  subscribe('undici:websocket:ping', onPing)
  subscribe('undici:websocket:pong', onPong)

  function beat(isPing: boolean): void {
    if (awaitsPong) return end('no pong')
    if (pingedAt !== undefined && clock.elapsed() - pingedAt > SERVER_PING_MS) return end('no ping of the server')
    if (isPing) ping(socket)
    awaitsPong = isPing
    timer = clock.setTimer(BEAT_MS, () => beat(!isPing))
  }

  function end(reason: string): void {
    if (ended) return
    ended = true
    timer.cancel()
    unsubscribe('undici:websocket:ping', onPing)
    unsubscribe('undici:websocket:pong', onPong)
    socket.close()
    // A peer that is gone would never end the closing handshake.
    dispatcher.socket?.destroySoon()
    on.ended(reason)
  }

  socket.addEventListener('message', ({ data }) => {
    if (!ended && typeof data === 'string') on.frame(data)
  })
  socket.addEventListener('error', ({ message }) => {
    why = message
  })
  socket.addEventListener('close', () => end(why))
  return {
    send: (text) => socket.send(text),
    greeted() {
      timer.cancel()
      beat(true)
    },
    end,
  }
}
