import { connect } from 'node:net'

export interface WireRequest {
  readonly method: string
  /** Path and query as they go on the wire. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}
export interface WireResponse {
  /** 0: the connection was closed without an answer; `body` says how it ended, and after how many bytes of one. */
  readonly status: number
  readonly head: string
  readonly body: string
}

const ANSWER_MS = 20_000

/** Sends a request byte for byte, over a connection of its own; rejects when nothing comes of it in 20 s. */
export function ask(url: string, request: WireRequest): Promise<WireResponse> {
  return send(url, [headOf(request), request.body], request.method === 'HEAD')
}

/** Returns request line and headers as they go on the wire. */
export function headOf({ method, target, headers, body }: WireRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\n${lines}Content-Length: ${body.length}\r\n\r\n`
  return Buffer.from(head, 'latin1')
}

/** Sends any bytes and reads one answer. */
export function send(url: string, pieces: readonly Uint8Array[], bodiless = false): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let seen = Buffer.alloc(0)
    let ending = 'closed by the peer'
    const timer = setTimeout(() => end(() => reject(new Error(`no answer in ${ANSWER_MS} ms`))), ANSWER_MS)
    const end = (then: () => void) => {
      clearTimeout(timer)
      socket.destroy()
      then()
    }
    socket.on('data', (chunk) => {
      seen = Buffer.concat([seen, chunk])
      const answer = answerIn(seen, bodiless)
      if (answer) end(() => resolve(answer))
    })
    socket.on('error', ({ message }) => (ending = message))
    socket.on('close', () => end(() => resolve({ status: 0, head: '', body: `${ending} after ${seen.length} bytes` })))
    for (const piece of pieces) socket.write(piece)
  })
}

/** Undefined: not all there yet. */
function answerIn(bytes: Buffer, bodiless: boolean): WireResponse | undefined {
  const at = bytes.indexOf('\r\n\r\n')
  if (at < 0) return undefined
  const head = bytes.subarray(0, at).toString('latin1')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const body = bytes.subarray(at + 4)
  if (!bodiless && body.length < length) return undefined
  return { status, head, body: body.toString() }
}
