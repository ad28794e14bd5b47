import { createConnection, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { handshake } from '../load/handshake.ts'
import { startPacer } from '../load/pacer.ts'
import { type Server, startService } from '../load/server.ts'
import type { Row, TrialOptions } from '../report.ts'

/** What live-tail clients cost the service that are let in and never read. */
export const title = 'tail-deaf: clients that never read, 2,000 events/s of 0.3 kB'

const SECRET = 'of-the-bench'
const PACE = { perSecond: 2_000, severity: 'critical' }
const WARM_UP_MS = 20_000
/** Enough for the buffers of the kernel to fill, and for the service to lose its patience. */
const WATCHED_MS = 40_000
const LOOK_MS = 250
const CLOSE_FRAME = 0x88

export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const rows: Row[] = []
  for (const clients of quick ? [1] : [1, 100]) {
    const server = await startService({ gateway_secret: SECRET })
    const pacer = startPacer(`http://127.0.0.1:${server.port}/api/incidents`, PACE)
    try {
      progress('warming up')
      await pause(WARM_UP_MS)
      progress('nobody watches')
      const alone = await growth(server)
      progress(`${clients} watch`)
      const sockets = await Promise.all(Array.from({ length: clients }, () => deaf(server.port)))
      const watched = await growth(server)
      rows.push({
        clients,
        'seconds watched': WATCHED_MS / 1_000,
        'memory grows by MB': watched,
        'without clients': alone,
        'cut off': `${(await Promise.all(sockets.map(farewell))).filter((code) => code === 1013).length} with code 1013`,
      })
    } finally {
      await pacer.stop()
      await server.stop()
    }
  }
  return rows
}

/** Most megabytes above what it was at first. */
async function growth(server: Server): Promise<number> {
  const before = server.rssBytes()
  let most = before
  for (let passedMs = 0; passedMs < WATCHED_MS; passedMs += LOOK_MS) {
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
async function farewell(socket: Socket): Promise<number | undefined> {
  const bytes = await Promise.race([buffer(socket), pause(LOOK_MS * 20).then(() => undefined)])
  socket.destroy()
  const at = bytes?.lastIndexOf(CLOSE_FRAME) ?? -1
  return bytes && at >= 0 ? bytes.readUInt16BE(at + 2) : undefined
}
