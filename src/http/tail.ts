import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t, WebSocket } from 'uWebSockets.js'
import type { TailTicket } from '../api/tail.ts'
import { CodedError } from '../domain/errors.ts'
import type { EventFilter } from '../domain/event-filter.ts'
import { type FilterQuery, filterOf } from '../domain/filter-query.ts'
import type { JoinRequest, Subscription, Tail, TailClient } from '../domain/subscription.ts'
import type { AdminAnswer, AdminRoute, TicketStore } from './contract.ts'
import type { FrontContext } from './front-context.ts'
import { ERROR_REPLIES, errorReply, NO_STORE, type Reply, send } from './reply.ts'
import { sendTo } from './router.ts'
import { TICKET_MS } from './tickets.ts'

const PATH = '/api/admin/tail'
const PARAMETERS = ['ticket', 'kinds', 'channel', 'severity', 'q', 'after', 'newest']
const MAX_NEWEST = 1_000
const MAX_CLIENTS = 2_048
const MAX_MESSAGE_BYTES = 4_096
/** A client that answers no ping for this time is disconnected. */
const IDLE_SECONDS = 60
/**
 * Limit of unsent bytes of a connection. The tail stops sending far below it; a connection that drops a message is
 * ended.
 */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** Close codes with their reasons. */
const SHUTTING_DOWN = [1001, 'the service is shutting down'] as const
const NOT_A_FILTER = [
  1008,
  'only a filter may be sent: {"kind":"filter","kinds"?,"channel"?,"severity"?,"q"?}',
] as const
const REVOKED = [1008, 'the gateway secret has changed'] as const
const TOO_SLOW = [1013, 'too slow: connect again, with after=ID for the missed events'] as const
/** Longest reason in a close frame, in bytes. */
const MAX_REASON = 123
/** 1013 is `try again later`. */
const DISCONNECTED = {
  too_slow: TOO_SLOW,
  leader_changed: [1013, 'another replica leads, or none does: connect again, with after=ID'],
} as const
type CloseReason = readonly [code: number, text: string]

interface Client {
  readonly request: JoinRequest
  subscription?: Subscription
}
type Socket = WebSocket<Client>

type Handshake = readonly [key: string, protocol: string, extensions: string, context: us_socket_context_t]

/** Serves the WebSocket of the live tail, and the tickets for it. */
export class TailHandler {
  /** Its gated routes. */
  readonly routes: readonly AdminRoute[] = [
    { method: 'POST', path: `${PATH}/ticket`, answer: () => this.#ticket() },
    { method: 'GET', path: PATH, answer: async () => NO_WEBSOCKET },
  ]
  readonly #context: FrontContext
  readonly #tail: Tail
  readonly #tickets: TicketStore
  readonly #open = new Set<Socket>()

  constructor(context: FrontContext, tail: Tail, tickets: TicketStore) {
    this.#context = context
    this.#tail = tail
    this.#tickets = tickets
  }

  mount(app: TemplatedApp): void {
    app.ws<Client>(PATH, {
      maxPayloadLength: MAX_MESSAGE_BYTES,
      maxBackpressure: MAX_BUFFERED_BYTES,
      idleTimeout: IDLE_SECONDS,
      sendPingsAutomatically: true,
      upgrade: (res, req, context) => this.#upgrade(res, req, context),
      open: (ws) => this.#join(ws),
      message: (ws, message) => this.#setFilter(ws, message),
      drain: (ws) => ws.getUserData().subscription?.drained(),
      dropped: (ws) => void setImmediate(() => this.#end(ws, TOO_SLOW)),
      close: (ws) => this.#leave(ws),
    })
  }

  /** Ends all connections and tickets because the secret changed; clients need the new one. */
  revoke(): void {
    this.#tickets.revoke()
    this.#endAll(REVOKED)
  }

  close(): void {
    this.#tickets.revoke()
    this.#endAll(SHUTTING_DOWN)
  }

  async #ticket(): Promise<AdminAnswer<TailTicket>> {
    return { status: 200, json: { ticket: await this.#tickets.issue(), expires_in_ms: TICKET_MS } }
  }

  #upgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void {
    const query = new URLSearchParams(req.getQuery())
    const refusal = this.#refusal()
    if (refusal) return sendTo(res, req, refusal)
    const handshake: Handshake = [
      req.getHeader('sec-websocket-key'),
      req.getHeader('sec-websocket-protocol'),
      req.getHeader('sec-websocket-extensions'),
      context,
    ]
    const valid = this.#tickets.redeem(query.get('ticket') ?? '')
    if (typeof valid === 'boolean') return this.#admit(res, handshake, this.#requestIn(query, valid))
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    const settle = (request: JoinRequest | Reply) => void (aborted || this.#admit(res, handshake, request))
    valid.then(
      (isValid) => settle(this.#requestIn(query, isValid)),
      (error) => settle(this.#context.failure(error)),
    )
  }

  #refusal(): Reply | undefined {
    if (this.#context.settings.gateway === undefined) return ERROR_REPLIES.not_found
    return this.#context.refusing ? ERROR_REPLIES.shutting_down : undefined
  }

  /** Returns the refusal of a request without a valid ticket or filter. */
  #requestIn(query: URLSearchParams, ticketIsValid: boolean): JoinRequest | Reply {
    if (!ticketIsValid) return NO_TICKET
    const refusal = this.#open.size < MAX_CLIENTS ? this.#refusal() : ERROR_REPLIES.tail_full
    if (refusal) return refusal
    try {
      return requestOf(query)
    } catch (error) {
      return this.#context.failure(error)
    }
  }

  /**
   * Upgrades or refuses. The upgrade is not corked: after a cork, uWebSockets.js reads the flags of the response that the
   * upgrade has replaced, and sometimes closes the connection.
   */
  #admit(res: HttpResponse, handshake: Handshake, request: JoinRequest | Reply): void {
    if ('head' in request) res.cork(() => send(res, request))
    else res.upgrade<Client>({ request }, ...handshake)
  }

  #join(ws: Socket): void {
    this.#open.add(ws)
    const client = ws.getUserData()
    client.subscription = this.#tail.join(this.#clientOf(ws), client.request)
  }

  #clientOf(ws: Socket): TailClient {
    return {
      get buffered() {
        return ws.getBufferedAmount()
      },
      send: (text) => void ws.send(text),
      subscribe: (topic) => void ws.subscribe(topic),
      unsubscribe: (topic) => void ws.unsubscribe(topic),
      disconnect: (reason) => this.#end(ws, DISCONNECTED[reason]),
    }
  }

  #setFilter(ws: Socket, message: ArrayBuffer): void {
    try {
      ws.getUserData().subscription?.refilter(filterIn(Buffer.from(message).toString()))
    } catch (error) {
      this.#end(ws, error instanceof CodedError ? [NOT_A_FILTER[0], error.message.slice(0, MAX_REASON)] : NOT_A_FILTER)
    }
  }

  #leave(ws: Socket): void {
    this.#open.delete(ws)
    ws.getUserData().subscription?.leave()
  }

  #endAll(reason: CloseReason): void {
    for (const ws of [...this.#open]) this.#end(ws, reason)
  }

  /** Closes without a reason when the connection is too full to take a close frame. */
  #end(ws: Socket, [code, text]: CloseReason): void {
    if (!this.#open.has(ws)) return
    if (ws.getBufferedAmount() > MAX_BUFFERED_BYTES) ws.close()
    else ws.end(code, text)
  }
}

const NO_TICKET = errorReply('unauthorized', 'a ticket is valid once, for 30 s; request another', NO_STORE)
const NO_WEBSOCKET: AdminAnswer = {
  status: 426,
  json: { error: 'this path accepts WebSocket connections only' },
  headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
}

/** Throws bad_parameter. */
function requestOf(query: URLSearchParams): Client['request'] {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) {
    const message = `${JSON.stringify(unknown.slice(0, 100))} is not a known parameter; known: ${PARAMETERS.join(', ')}`
    throw new CodedError('bad_parameter', message)
  }
  const { kinds, channel, severity, q, after = '', newest = '' } = Object.fromEntries(query)
  const filter = filterOf({ kinds, channel, severity, q })
  return { filter, ...(after !== '' && { after }), ...(newest !== '' && { newest: countOf(newest) }) }
}

function countOf(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= MAX_NEWEST) return count
  throw new CodedError('bad_parameter', `newest must be a whole number from 1 to ${MAX_NEWEST}`)
}

/** Reads a filter message. Throws bad_parameter, or a SyntaxError of `JSON.parse`. */
function filterIn(text: string): EventFilter {
  const sent: unknown = JSON.parse(text)
  const isFilter = typeof sent === 'object' && sent !== null && 'kind' in sent && sent.kind === 'filter'
  if (!isFilter) throw new CodedError('bad_parameter', NOT_A_FILTER[1])
  return filterOf(sent as FilterQuery)
}
