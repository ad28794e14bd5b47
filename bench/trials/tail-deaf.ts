import { createConnection, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { startPacer } from '../load/pacer.ts'
import type { CaseOptions, Row, TrialOptions } from '../report.ts'
import { SECRET } from '../servers/admin.ts'
import { type Server, startService } from '../servers/server.ts'
import { handshake } from '../tail/handshake.ts'

/** What live-tail clients cost the service that are let in and never read. */
export const title = 'tail-deaf: clients that never read, 2,000 events/s of 0.3 kB'

const PACE = { perSecond: 2_000, severity: 'critical' }
const LOOK_MS = 250
const FAREWELL_MS = 500
const CLOSE_FRAME = 0x88

interface Case {
  readonly clients: number
  readonly warmUpMs: number
  readonly aloneMs: number
  readonly watchedMs: number
}

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ clients: 10, warmUpMs: 300, aloneMs: 500, watchedMs: 700 }]
  // Watched for long enough that the buffers of the kernel fill and the service loses its patience.
  return [{ clients: 20, warmUpMs: 4_000, aloneMs: 8_000, watchedMs: 32_000 }]
}

export async function run({ progress }: TrialOptions, { clients, warmUpMs, aloneMs, watchedMs }: Case): Promise<Row[]> {
  const server = await startService({ gateway_secret: SECRET })
  const pacer = startPacer(`http://127.0.0.1:${server.port}/api/incidents`, PACE)
  try {
    progress('warming up')
    await pause(warmUpMs)
    progress('nobody watches')
    const alone = await growth(server, aloneMs)
    progress(`${clients} watch`)
    const sockets = await Promise.all(Array.from({ length: clients }, () => deaf(server.port)))
    const watched = await growth(server, watchedMs)
    const codes = await Promise.all(sockets.map(closeCodeOf))
    return [
      {
        clients,
        'seconds watched': watchedMs / 1_000,
        'memory grows by MB': watched,
        [`without clients, ${aloneMs / 1_000} s`]: alone,
        'cut off with code 1013': codes.filter((code) => code === 1013).length,
      },
    ]
  } finally {
    await pacer.stop()
    await server.stop()
  }
}

/** Most megabytes above what it was at first. */
async function growth(server: Server, watchedMs: number): Promise<number> {
  const before = server.rssBytes()
  let most = before
  for (let passedMs = 0; passedMs < watchedMs; passedMs += LOOK_MS) {
    await pause(LOOK_MS)
    most = Math.max(most, server.rssBytes())
  }
  return Number(((most - before) / 1e6).toFixed(1))
}

async function deaf(port: number): Promise<Socket> {
  const request = await handshake({ port, secret: SECRET }, '&kinds=incident')
  const socket = createConnection({ port, host: '127.0.0.1' }).pause()
  socket.write(request)
  return socket
}

/** Reads at last, up to the end: the code that the service closed with. */
async function closeCodeOf(socket: Socket): Promise<number | undefined> {
  const bytes = await Promise.race([buffer(socket), pause(FAREWELL_MS).then(() => undefined)])
  socket.destroy()
  const at = bytes?.lastIndexOf(CLOSE_FRAME) ?? -1
  return bytes && at >= 0 ? bytes.readUInt16BE(at + 2) : undefined
}
