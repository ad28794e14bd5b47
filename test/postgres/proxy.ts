import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'

/**
 * A TCP proxy in a thread of its own, since the thread of a test blocks. `mode` works at once, without any message:
 * `pass`; `silent`: takes all and gives nothing on; `cut`: gives requests on, and ends the connection at the first
 * reply, which is lost (then `pass`); `refuse`: ends new and old connections.
 */
export interface TcpProxy {
  readonly port: number
  set mode(mode: Mode)
  /** Changes to `pass` while the caller blocks. */
  passAfter(ms: number): void
}

type Mode = 'pass' | 'silent' | 'cut' | 'refuse'
const MODES: readonly Mode[] = ['pass', 'silent', 'cut', 'refuse']

const SCRIPT = `
const { connect, createServer } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const [PASS, SILENT, CUT, REFUSE] = [0, 1, 2, 3]
const mode = new Int32Array(workerData.shared)
const open = new Set()
const server = createServer((client) => {
  if (mode[0] === REFUSE) return client.destroy()
  const upstream = connect(workerData.to, '127.0.0.1')
  for (const socket of [client, upstream]) {
    open.add(socket)
    const end = () => { client.destroy(); upstream.destroy(); open.delete(socket) }
    socket.setNoDelay(true).on('error', end).on('close', () => mode[0] === SILENT || end())
  }
  client.on('data', (bytes) => mode[0] === SILENT || upstream.write(bytes))
  upstream.on('data', (bytes) => {
    if (mode[0] === SILENT) return
    if (mode[0] !== CUT) return client.write(bytes)
    mode[0] = PASS
    client.destroy()
  })
})
setInterval(() => { if (mode[0] === REFUSE) for (const socket of open) socket.destroy() }, 5)
parentPort.on('message', (ms) => setTimeout(() => { mode[0] = PASS }, ms))
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

export async function startProxy(t: TestContext, to: number): Promise<TcpProxy> {
  const shared = new SharedArrayBuffer(4)
  const state = new Int32Array(shared)
  const worker = new Worker(SCRIPT, { eval: true, workerData: { shared, to } })
  t.after(() => worker.terminate())
  const [port] = await once(worker, 'message')
  return {
    port,
    passAfter: (ms) => worker.postMessage(ms),
    set mode(mode: Mode) {
      Atomics.store(state, 0, MODES.indexOf(mode))
    },
  }
}

/** Returns the URL with another port. */
export function through(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}
