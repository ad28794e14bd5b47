import type { Timer } from '../../../src/kernel/clock.ts'
import { errorText } from '../../../src/text/error-text.ts'
import { isObject, type JsonObject, parseObject } from '../../../src/text/json-object.ts'
import { retryMs, SlackError, stateAfter } from './chatws-api.ts'
import { type Link, openLink } from './chatws-link.ts'
import type { Receiver, ReceiverDeps } from './receiver.ts'

interface SocketsDeps extends Pick<ReceiverDeps, 'http' | 'clock' | 'random' | 'log' | 'changed'> {
  /** Connections that are held; Slack hands each press to one of them. */
  readonly connections: number
  /** Returns the address of a new connection. */
  address(): Promise<string>
  /** Returns whether an interaction is to be acknowledged. @param app id of the connection's app */
  take(payload: JsonObject, app: string | undefined): Promise<boolean>
}

interface Connection {
  readonly link: Link
  readonly presses: Set<Promise<void>>
  app: string | undefined
  /** Monotonic milliseconds; undefined until Slack has greeted. */
  upAt: number | undefined
}

/** A connection that ended sooner is a failure; after a longer one failures are counted anew. */
const STEADY_MS = 30_000

/**
 * Holds connections of Socket Mode and never gives up. A connection is in one of these sets:
 * - opening: not greeted yet; leaves to up, or ends
 * - up: leaves to leaving when Slack announces its end
 * - leaving: still takes presses; is closed when another one is up and its own presses are answered
 */
export function openSockets(deps: SocketsDeps): Receiver {
  const { clock, connections, http, log, changed } = deps
  const opening = new Set<Connection>()
  const up = new Set<Connection>()
  const leaving = new Set<Connection>()
  let failures = 0
  let filling = false
  let timer: Timer | undefined
  let closed = false

  /** Opens one connection after the other until there are enough. */
  async function fill(): Promise<void> {
    if (filling || timer !== undefined) return
    filling = true
    try {
      while (!closed && timer === undefined && up.size < connections) await open(await deps.address())
    } catch (error) {
      if (!closed) later(error)
    }
    filling = false
  }

  /** Resolves when Slack has greeted; rejects when the connection ends before. */
  function open(url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const frame = (text: string) => receive(connection, text, resolve)
      const ended = (why: string) => {
        reject(new Error(why))
        opening.delete(connection)
        leaving.delete(connection)
        if (!up.delete(connection) || closed) return
        isSteady(connection)
        later(new Error(why))
      }
      if (closed) return reject(new Error('closed'))
      const link = openLink(url, http.dispatcher, { clock, on: { frame, ended } })
      const connection: Connection = { link, presses: new Set(), app: undefined, upAt: undefined }
      opening.add(connection)
    })
  }

  function receive(connection: Connection, text: string, greeted: () => void): void {
    const frame = closed ? undefined : parseObject(text)
    if (frame?.type === 'hello') return hello(connection, frame, greeted)
    if (frame === undefined || connection.upAt === undefined) return
    if (frame.type === 'disconnect') return leave(connection, String(frame.reason))
    const press = answer(connection, frame).catch((error) =>
      log.error({ error: errorText(error) }, 'a frame of chatws was not understood; its press is lost'),
    )
    connection.presses.add(press)
    press.finally(() => connection.presses.delete(press))
  }

  function hello(connection: Connection, { connection_info }: JsonObject, greeted: () => void): void {
    if (!opening.delete(connection)) return
    connection.upAt = clock.elapsed()
    const app = isObject(connection_info) ? connection_info.app_id : undefined
    if (typeof app === 'string') connection.app = app
    connection.link.greeted()
    up.add(connection)
    changed({ state: 'up' })
    for (const each of leaving) void retire(each)
    greeted()
  }

  /** Acknowledges what was stored, and what is no interaction of a person. */
  async function answer({ link, app }: Connection, { type, envelope_id, payload }: JsonObject): Promise<void> {
    if (typeof envelope_id !== 'string') return
    const isTaken = type !== 'interactive' || !isObject(payload) || (await deps.take(payload, app))
    if (isTaken) link.send(JSON.stringify({ envelope_id }))
  }

  /** Slack announces the end of a connection: all end so after some hours. */
  function leave(connection: Connection, reason: string): void {
    if (!up.delete(connection)) return
    const isUnwanted = reason === 'too_many_websockets' || reason === 'link_disabled'
    if (isUnwanted) void retire(connection)
    else leaving.add(connection)
    if (isSteady(connection) && !isUnwanted) void fill()
    else later(new SlackError(reason))
  }

  /** Closes a connection when its presses are answered. */
  async function retire({ presses, link }: Connection): Promise<void> {
    // One that comes meanwhile is taken too.
    while (presses.size > 0) await Promise.all(presses)
    link.end('another connection took over')
  }

  function isSteady({ upAt = 0 }: Connection): boolean {
    if (clock.elapsed() - upAt < STEADY_MS) return false
    failures = 0
    return true
  }

  function later(error: unknown): void {
    failures++
    timer?.cancel()
    timer = clock.setTimer(retryMs(error, failures, deps.random()), () => {
      timer = undefined
      void fill()
    })
    if (up.size + leaving.size === 0) changed({ state: stateAfter(error), lastError: errorText(error) })
  }

  void fill()
  return {
    async close() {
      closed = true
      timer?.cancel()
      const all = [...opening, ...up, ...leaving]
      await Promise.all(all.map(retire))
    },
  }
}
