import { hash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { until } from '../until.ts'

const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10
/** RFC 6455, section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** One connection of an app. */
export class AppSocket {
  /** Ids of envelopes in the order in which the app acknowledged them. */
  readonly acked: string[] = []
  /** Pongs that answered pings of the server. */
  pongs = 0
  /** Pings of the app. */
  pings = 0
  /** It answers pings of the app. */
  answersPings = true
  isOpen = true
  /** The app closed it in order. */
  wasClosedByApp = false
  readonly #raw: Socket
  #buffered = Buffer.alloc(0)

  constructor(raw: Socket) {
    this.#raw = raw
    raw.on('data', (chunk) => this.#take(chunk))
    raw.on('error', () => raw.destroy())
    raw.on('close', () => {
      this.isOpen = false
    })
  }

  send(frame: object | string): void {
    this.#write(TEXT, Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)))
  }
  ping(): void {
    this.#write(PING, Buffer.from('ping'))
  }
  disconnect(reason: string): void {
    this.send({ type: 'disconnect', reason, debug_info: { host: 'wss-111.slack.com' } })
  }
  /** Closes it in order, as Slack does after `disconnect`. */
  close(): void {
    this.#write(CLOSE, Buffer.from([0x03, 0xe8]))
    this.#raw.end()
  }
  cut(): void {
    this.#raw.destroy()
  }
  /** Sends an envelope and returns its id. */
  envelope(type: string, payload: object): string {
    const envelope_id = randomUUID()
    this.send({ envelope_id, type, payload, accepts_response_payload: type === 'interactive' })
    return envelope_id
  }

  #write(opcode: number, body: Buffer): void {
    const head = Buffer.from([0x80 | opcode, 127, 0, 0, 0, 0, 0, 0, 0, 0])
    head.writeUInt32BE(body.length, 6)
    if (body.length >= 65_536) this.#raw.write(Buffer.concat([head, body]))
    else if (body.length < 126) this.#raw.write(Buffer.concat([Buffer.from([0x80 | opcode, body.length]), body]))
    else this.#raw.write(Buffer.concat([Buffer.from([0x80 | opcode, 126, body.length >> 8, body.length & 255]), body]))
  }

  /** Reads frames of a client: masked, in one piece each. */
  #take(chunk: Buffer): void {
    this.#buffered = Buffer.concat([this.#buffered, chunk])
    for (;;) {
      const short = (this.#buffered[1] ?? 0) & 127
      const at = short === 126 ? 4 : 2
      if (this.#buffered.length < at + 4) return
      const length = short === 126 ? this.#buffered.readUInt16BE(2) : short
      if (this.#buffered.length < at + 4 + length) return
      const opcode = (this.#buffered[0] ?? 0) & 15
      const mask = this.#buffered.subarray(at, at + 4)
      const body = this.#buffered.subarray(at + 4, at + 4 + length).map((byte, nth) => byte ^ (mask[nth % 4] ?? 0))
      this.#buffered = this.#buffered.subarray(at + 4 + length)
      this.#receive(opcode, Buffer.from(body))
    }
  }
  #receive(opcode: number, body: Buffer): void {
    if (opcode === TEXT) this.acked.push(JSON.parse(String(body)).envelope_id)
    if (opcode === PONG) this.pongs++
    if (opcode === PING) {
      this.pings++
      if (this.answersPings) this.#write(PONG, body)
    }
    if (opcode === CLOSE && this.isOpen) {
      this.wasClosedByApp = true
      this.close()
    }
  }
}

/** The WebSocket side of Socket Mode: an address is good once, and each connection is greeted. */
export async function startSocketServer(t: TestContext, appId: string) {
  const tickets = new Set<string>()
  const sockets: AppSocket[] = []
  const state = { hello: true as boolean, appId }
  const clients: (() => Promise<unknown>)[] = []
  const server = createServer((_req, res) => res.writeHead(400).end())
  server.on('upgrade', (req: IncomingMessage, raw: Socket) => {
    const ticket = new URL(req.url ?? '', 'http://x').searchParams.get('ticket') ?? ''
    if (!tickets.delete(ticket)) return raw.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    const accept = hash('sha1', `${req.headers['sec-websocket-key']}${GUID}`, 'base64')
    const answer = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
    raw.write(answer)
    const socket = new AppSocket(raw)
    sockets.push(socket)
    const num_connections = sockets.filter(({ isOpen }) => isOpen).length
    const debug_info = { host: 'applink-1', build_number: 10, approximate_connection_time: 18_060 }
    if (state.hello)
      socket.send({ type: 'hello', num_connections, debug_info, connection_info: { app_id: state.appId } })
  })
  server.listen(0, '127.0.0.1')
  await until(() => server.listening)
  const { port } = server.address() as AddressInfo
  t.after(async () => {
    await Promise.all(clients.map((stop) => stop()))
    for (const socket of sockets) socket.cut()
    server.close()
  })
  return Object.assign(state, {
    port,
    /** All connections, oldest first. */
    sockets,
    /** Stops a client before the server ends. */
    stopFirst: (stop: () => Promise<unknown>) => void clients.push(stop),
    open: () => sockets.filter(({ isOpen }) => isOpen),
    address(host = '127.0.0.1'): string {
      const ticket = randomUUID()
      tickets.add(ticket)
      return `ws://${host}:${port}/link/?ticket=${ticket}&app_id=${appId}`
    },
  })
}
