import type { WebSocket, WebSocketBehavior } from 'uWebSockets.js'
import { randomUUID } from 'node:crypto'
import { field, type Received, type Reply } from './exchange.ts'

const APP = 'A0SIMULATED'
const TEAM = 'T0SIMULATED'

interface SlackPress {
  readonly user: { readonly id: string; readonly username: string }
  readonly channel: string
  readonly message: number
  readonly token: string
}

/** The id of a message in its channel. @param nth its number, from 1 */
export const messageTs = (nth: number) => `1700000000.${String(nth).padStart(6, '0')}`

/**
 * The app that a stand-in of Slack has: its connections of Socket Mode, and the methods of the Web API that send no message.
 * @param address returns the address of the socket server
 */
export function openSlackApp(address: () => string) {
  const sockets = new Set<WebSocket<unknown>>()
  /** Texts that only the person sees, in the order of their arrival. */
  const said: string[] = []

  const socket: WebSocketBehavior<unknown> = {
    // A ping once is one that has to come again in time.
    sendPingsAutomatically: false,
    idleTimeout: 0,
    open(ws) {
      sockets.add(ws)
      ws.send(JSON.stringify({ type: 'hello', num_connections: sockets.size, connection_info: { app_id: APP } }))
    },
    close: (ws) => void sockets.delete(ws),
  }

  /** Returns the answer to a request that sends no message; undefined: it sends one. */
  function answer({ path, json }: Received): Reply | undefined {
    switch (path) {
      case '/api/auth.test':
        return ok({ team_id: TEAM, user_id: 'U0TOCSIN' })
      case '/api/apps.connections.open':
        return ok({ url: address() })
      case '/api/chat.postEphemeral':
        said.push(field(json, 'text'))
        return ok({ message_ts: '1700000001.000001' })
    }
    return undefined
  }

  /** Presses a button; false: no connection is open. `message`: its number, from 1. */
  function press({ user, channel, message, token }: SlackPress): boolean {
    const [ws] = sockets
    const action_id = `tocsin.${token.slice(1, token.indexOf('.'))}`
    const payload = {
      type: 'block_actions',
      user: { ...user, team_id: TEAM },
      api_app_id: APP,
      container: { type: 'message', message_ts: messageTs(message), channel_id: channel },
      team: { id: TEAM, domain: 'simulated' },
      channel: { id: channel, name: 'alerts' },
      actions: [{ type: 'button', block_id: 'tocsin', action_id, value: token, action_ts: `${Date.now() / 1_000}` }],
    }
    ws?.send(JSON.stringify({ envelope_id: randomUUID(), type: 'interactive', payload }))
    return ws !== undefined
  }

  return { socket, answer, press, said }
}

const ok = (more: object): Reply => ({ status: 200, body: { ok: true, ...more } })
