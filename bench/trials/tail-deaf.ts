import { createConnection, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { SECRET } from '../../test/harness/net/requests.ts'
import { tailHandshake } from '../../test/harness/net/tail-handshake.ts'
import { watchRss } from '../../test/harness/watch/memory.ts'
import { startPacer } from '../load/pacer.ts'
import type { CaseOptions, Row, TrialOptions } from '../report.ts'
import type { Server } from '../servers/server.ts'
import { startService } from '../servers/start.ts'

/** Memory that connected live-tail clients cost when they never read. */
export const title = 'tail-deaf: clients that never read, 2,000 events/s of 0.3 kB'

const PACE = { perSecond: 2_000, severity: 'critical' }
const SAMPLE_MS = 250
const CLOSE_MS = 500
/** First byte of a close frame. */
const CLOSE_FRAME = 0x88

interface Case {
  readonly clients: number
  readonly warmUpMs: number
  readonly aloneMs: number
  readonly watchedMs: number
}

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ clients: 10, warmUpMs: 300, aloneMs: 500, watchedMs: 700 }]
  // Long enough that the kernel's buffers fill and the service closes the connections.
  return [{ clients: 20, warmUpMs: 4_000, aloneMs: 8_000, watchedMs: 32_000 }]
}

export async function run({ progress }: TrialOptions, { clients, warmUpMs, aloneMs, watchedMs }: Case): Promise<Row[]> {
  const server = await startService({ gateway_secret: SECRET })
  const pacer = startPacer(server.url, PACE)
  try {
    progress('warming up')
    await pause(warmUpMs)
    progress('without clients')
    const alone = await growth(server, aloneMs)
    progress(`with ${clients} clients`)
    const sockets = await Promise.all(Array.from({ length: clients }, () => deafClient(server)))
    const watched = await growth(server, watchedMs)
    const codes = await Promise.all(sockets.map(closeCodeOf))
    return [
      {
        clients,
        'seconds watched': watchedMs / 1_000,
        'memory grows by MB': watched,
        [`without clients, ${aloneMs / 1_000} s`]: alone,
        'closed with code 1013': codes.filter((code) => code === 1013).length,
      },
    ]
  } finally {
    await pacer.stop()
    await server.stop()
  }
}

/** Largest growth of resident memory, in megabytes. */
async function growth(server: Server, watchedMs: number): Promise<number> {
  const rss = watchRss(server.pid, SAMPLE_MS)
  await pause(watchedMs)
  const samples = rss.stop()
  return Number(((Math.max(...samples) - (samples[0] ?? 0)) / 1e6).toFixed(1))
}

/** Connects a client that never reads. */
async function deafClient({ port, url }: Server): Promise<Socket> {
  const request = await tailHandshake(url, SECRET, '&kinds=incident')
  const socket = createConnection({ port, host: '127.0.0.1' }).pause()
  socket.write(request)
  return socket
}

/** Reads the connection to its end and returns the code with which the service closed it. */
async function closeCodeOf(socket: Socket): Promise<number | undefined> {
  const bytes = await Promise.race([buffer(socket), pause(CLOSE_MS).then(() => undefined)])
  socket.destroy()
  const at = bytes?.lastIndexOf(CLOSE_FRAME) ?? -1
  return bytes && at >= 0 ? bytes.readUInt16BE(at + 2) : undefined
}
