import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { tailHandshake } from '../../test/harness/net/tail-handshake.ts'

/**
 * Live-tail clients in a process of their own: `tail-client-process.ts URL SECRET CLIENTS QUERY`. Prints `ready` when
 * all are connected, then one line of JSON (`TailCounts`) for each line on its standard input.
 */
const [url = '', secret = '', clients = '', query = ''] = process.argv.slice(2)
const { hostname: host, port } = new URL(url)
const NEWLINE = 10
const READ_BYTES = 64 * 1024

const EMPTY = Buffer.alloc(0)
/** First byte of a ping frame, and a whole pong frame without content. */
const PING = 0x89
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

/** Parses the WebSocket frames of one connection and counts the lines in them. */
class Frames {
  lines = 0
  missed = 0
  #rest = EMPTY
  #left = 0
  readonly #pong: () => void

  constructor(pong: () => void) {
    this.#pong = pong
  }

  read(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    let at = 0
    while (at < bytes.length) {
      if (this.#left === 0) {
        const size = headerSize(bytes, at)
        if (bytes.length - at < size) break
        this.#left = bodyLength(bytes, at)
        if (bytes.readUInt8(at) === PING) this.#pong()
        at += size
        if (this.#left > 0) this.lines++
      }
      const body = bytes.subarray(at, at + this.#left)
      this.#left -= body.length
      at += body.length
      for (let end = body.indexOf(NEWLINE); end >= 0; end = body.indexOf(NEWLINE, end + 1)) this.lines++
      if (body.includes('"kind":"missed"')) this.missed++
    }
    this.#rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : EMPTY
  }
}

function headerSize(bytes: Buffer, at: number): number {
  const short = at + 1 < bytes.length ? bytes.readUInt8(at + 1) & 0x7f : 127
  return short < 126 ? 2 : short === 126 ? 4 : 10
}

function bodyLength(bytes: Buffer, at: number): number {
  const short = bytes.readUInt8(at + 1) & 0x7f
  if (short < 126) return short
  return short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}

/** Connects one client. Rejects when the service refuses it. */
async function connectClient(): Promise<Frames> {
  const request = await tailHandshake(url, secret, query)
  return new Promise((resolve, reject) => {
    const frames = new Frames(() => socket.write(PONG))
    let upgraded = false
    const callback = (length: number, buffer: Uint8Array) => {
      const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, length)
      const body = upgraded ? 0 : chunk.indexOf('\r\n\r\n') + 4
      if (!upgraded && !chunk.includes(' 101 ')) reject(new Error(chunk.toString('latin1').slice(0, 200)))
      upgraded = true
      frames.read(chunk.subarray(body))
      resolve(frames)
      return true
    }
    const options = { port: Number(port), host, onread: { buffer: SHARED, callback } }
    const socket = createConnection(options, () => socket.write(request))
    socket.on('error', reject)
  })
}
/** One buffer for all connections: it is read within the callback. */
const SHARED = Buffer.alloc(READ_BYTES)

const tailClients: Frames[] = []
for (let n = 0; n < Number(clients); n++) tailClients.push(await connectClient())
console.log('ready')
createInterface({ input: process.stdin }).on('line', () => {
  // The greeting is a line, too.
  const lines = tailClients.map((client) => client.lines - 1)
  const missed = tailClients.reduce((sum, client) => sum + client.missed, 0)
  const { user, system } = process.cpuUsage()
  const cpuSeconds = (user + system) / 1e6
  console.log(JSON.stringify({ least: Math.min(...lines), most: Math.max(...lines), missed, cpuSeconds }))
})
