import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

interface Flood {
  readonly connections: number
  /** 0: each connection posts again as soon as it is answered. */
  readonly perSecond: number
  readonly seconds: number
}

export interface FloodResult {
  readonly statuses: { readonly [status: string]: number }
  /** Requests that went out; what found every connection waiting for its answer did not. */
  readonly sent: number
  readonly seconds: number
}

const SELF = fileURLToPath(import.meta.url)
/** What is still under way at the end is waited for so long. */
const ANSWER_MS = 20_000
const TICK_MS = 5

/** Posts incidents of two kilobytes from a process of its own. */
export async function flood(url: string, { connections, perSecond, seconds }: Flood): Promise<FloodResult> {
  const args = [SELF, url, connections, perSecond, seconds].map(String)
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ...args])
  return JSON.parse(stdout)
}

async function pour(): Promise<FloodResult> {
  const [url = '', connections = '', perSecond = '', seconds = ''] = process.argv.slice(2)
  const forMs = Number(seconds) * 1_000
  const rate = Number(perSecond)
  const statuses: { [status: string]: number } = {}
  /** The one that has rested longest is first: none rests so long that the service closes it. */
  const free = new Set<Socket>()
  const waiting = new Set<Socket>()
  const began = performance.now()
  const isOver = () => performance.now() - began > forMs
  let sent = 0
  const send = (socket: Socket) => {
    sent++
    free.delete(socket)
    waiting.add(socket)
    socket.write(REQUEST)
  }
  const answered = (socket: Socket, chunk: Buffer) => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1]
    if (status === undefined) return
    statuses[status] = (statuses[status] ?? 0) + 1
    waiting.delete(socket)
    if (rate === 0 && !isOver()) send(socket)
    else free.add(socket)
  }
  const all = await Promise.all(Array.from({ length: Number(connections) }, () => opened(url)))
  for (const socket of all) {
    socket.on('data', (chunk) => answered(socket, chunk)).on('close', () => free.delete(socket))
    if (rate === 0) send(socket)
    else free.add(socket)
  }
  for (let due = 0; !isOver(); await tick()) {
    const now = Math.floor(((performance.now() - began) / 1_000) * rate)
    for (; due < now; due++) {
      const [socket] = free
      if (socket) send(socket)
    }
  }
  const tookMs = performance.now() - began
  while (waiting.size > 0 && performance.now() - began < forMs + ANSWER_MS) await tick()
  for (const socket of all) socket.destroy()
  return { statuses: waiting.size > 0 ? { ...statuses, none: waiting.size } : statuses, sent, seconds: tookMs / 1_000 }
}

const BODY = JSON.stringify({ title: 'flood', pad: 'x'.repeat(2_000) })
const REQUEST = `POST /api/incidents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
const tick = () => new Promise((resolve) => setTimeout(resolve, TICK_MS))

async function opened(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

if (process.argv[1] === SELF) console.log(JSON.stringify(await pour()))
