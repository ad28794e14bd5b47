import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { until } from '../../harness/until.ts'

const OPEN_BATCH = 200

/** Connections that stay open until `drop`, until the service closes them, or until the test ends. */
export class IdleConnections {
  readonly #url: URL
  readonly #sockets = new Set<Socket>()

  constructor(t: TestContext, url: string) {
    this.#url = new URL(url)
    t.after(() => this.drop())
  }

  get size(): number {
    return this.#sockets.size
  }

  async open(pieces: readonly Uint8Array[] = []): Promise<Socket> {
    const socket = connect(Number(this.#url.port), this.#url.hostname)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    this.#sockets.add(socket)
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    socket.resume()
    for (const piece of pieces) socket.write(piece)
    return socket
  }

  /** Opens connections until `count` are open at once. Fails when the number stops growing. */
  async openMany(count: number): Promise<void> {
    for (let before = -1; this.size < count; ) {
      assert.ok(this.size > before, `no more than ${this.size} connections stay open`)
      before = this.size
      await Promise.all(Array.from({ length: Math.min(OPEN_BATCH, count - before) }, () => this.open()))
    }
  }

  /** Sends one byte every `everyMs` until the service closes the connection. */
  async trickle(head: Uint8Array, everyMs: number): Promise<void> {
    const socket = await this.open([head])
    const timer = setInterval(() => socket.write('x'), everyMs)
    socket.on('close', () => clearInterval(timer))
  }

  drop(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Resolves when all are closed, by either side. */
  async untilClosed(): Promise<void> {
    await until(() => this.size === 0)
  }
}
