import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { SAMPLES } from '../../../src/render/samples/samples.ts'
import { FAST } from '../../harness/config-file.ts'
import { admin, post, SECRET } from '../../harness/net/requests.ts'

/**
 * Starts a provider for all channels and pages. By chance 2 % of the requests hang and 8 % get a 500; all hang while
 * `hangs` is set, none fails once `healed` is.
 */
export async function startFlakyProvider(t: TestContext, random: () => number) {
  const flakyProvider = { url: '', alert: {}, hangs: false, healed: false }
  const server = createServer((request, response) => {
    request.resume()
    const chance = flakyProvider.healed ? 1 : random()
    if (flakyProvider.hangs || chance < 0.02) return
    response.statusCode = chance < 0.1 ? 500 : 200
    response.end('{"ok":true,"channel":"C1","ts":"1700000000.000001"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  flakyProvider.url = url
  flakyProvider.alert = {
    chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: url, ...FAST },
    officechat: { enable: true, flow_url: `${url}/flow`, ...FAST },
  }
  return flakyProvider
}

export type FlakyProvider = Awaited<ReturnType<typeof startFlakyProvider>>

interface LoadTarget {
  readonly url: string
  readonly logs: string
  reload(): void
}

/** All kinds of requests that senders and operators make, each at its own interval. */
export class LoadMix {
  /** Latencies of posts since the array was last emptied. */
  latenciesMs: number[] = []
  readonly statuses = new Map<number, number>()
  readonly done = new Map<string, number>()
  readonly #service: LoadTarget
  readonly #tails: WebSocket[] = []
  readonly #failed = new AbortController()
  #underWay = 0
  #posted = 0
  #lastId = ''

  constructor(service: LoadTarget) {
    this.#service = service
  }

  /** Runs until `until` aborts. Rejects with the first wrong answer. */
  async run(until: AbortSignal, perSecond: number): Promise<void> {
    const signal = AbortSignal.any([until, this.#failed.signal])
    const every = (ms: number, name: string, act: () => unknown) => this.#every(ms, { signal, name, act })
    await Promise.all([
      every(20, 'posts', () => this.#post(perSecond / 50)),
      every(300, 'reads', () => this.#read()),
      every(200, 'lines', () => this.#log()),
      every(1_000, 'nuisances', () => this.#nuisance()),
      every(2_000, 'decisions', () => this.#decide()),
      every(3_000, 'tails', () => this.#tail()),
      every(10_000, 'reloads', () => this.#service.reload()),
      every(15_000, 'replays', () => this.#operate('/api/admin/deliveries/replay', { state: 'dead' })),
    ])
    for (const tail of this.#tails) tail.close()
    while (this.#underWay > 0) await pause(10)
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason
  }

  async #every(ms: number, { signal, name, act }: { signal: AbortSignal; name: string; act: () => unknown }) {
    while (!signal.aborted) {
      await Promise.resolve()
        .then(act)
        .catch((error) => this.#failed.abort(error))
      this.done.set(name, (this.done.get(name) ?? 0) + 1)
      await pause(ms, undefined, { signal }).catch(() => {})
    }
  }

  /** Posts without waiting for answers; at most 500 are under way. */
  #post(count: number): void {
    for (let left = count; left > 0 && this.#underWay < 500; left--) {
      this.#underWay++
      void this.#postOne()
        .catch((error) => this.#failed.abort(error))
        .finally(() => this.#underWay--)
    }
  }

  async #postOne(): Promise<void> {
    const nth = this.#posted++
    const { payload } = SAMPLES[nth % SAMPLES.length] ?? assert.fail()
    const began = performance.now()
    const key: { [name: string]: string } = nth % 10 === 0 ? { 'Idempotency-Key': `key-${nth - (nth % 20)}` } : {}
    const answer = await post(this.#service.url, { ...payload, soak: nth }, key)
    await answer.arrayBuffer()
    this.latenciesMs.push(performance.now() - began)
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1)
    this.#lastId = answer.headers.get('x-incident-id') ?? this.#lastId
  }

  async #read(): Promise<void> {
    const pages = ['incidents?q=backup&limit=20', 'incidents?status=firing&severity=critical', 'deliveries?state=dead']
    for (const page of [...pages, 'channels', 'stats', `incidents/${this.#lastId}`])
      if (!page.endsWith('/')) await admin(this.#service.url, `/api/admin/${page}`).catch(unlessGone)
    await (await fetch(`${this.#service.url}/metrics`)).arrayBuffer()
    await admin(this.#service.url, '/api/agent/patterns').catch(unlessGone)
  }

  async #log(): Promise<void> {
    const text = Array.from({ length: 20 }, (_, n) => `INFO request ${n} of user ${this.#posted} took ${n} ms\n`)
    if (this.#posted % 50 === 0) text.push(`ERROR worker ${'abcdefgh'[this.#posted % 8]} lost its lease\n`)
    appendFileSync(this.#service.logs, text.join(''))
    await this.#operate('/api/agent/logs/push', text.join(''))
  }

  async #decide(): Promise<void> {
    if (this.#lastId === '') return
    for (const what of ['ack', 'resend', 'resolve'])
      await this.#operate(`/api/admin/incidents/${this.#lastId}/${what}`, { by: 'Ada' })
  }

  async #tail(): Promise<void> {
    const answer = await this.#operate('/api/admin/tail/ticket', {})
    const { ticket } = JSON.parse(answer) as { ticket: string }
    this.#tails.push(new WebSocket(`${this.#service.url.replace('http', 'ws')}/api/admin/tail?ticket=${ticket}`))
    if (this.#tails.length > 5) this.#tails.shift()?.close()
  }

  async #nuisance(): Promise<void> {
    const { hostname, port } = new URL(this.#service.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write('POST /api/incidents HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{"never": "')
    setTimeout(() => socket.destroy(), 500)
    const bomb = { method: 'POST', headers: { 'Content-Encoding': 'gzip' }, body: BOMB }
    assert.equal((await fetch(`${this.#service.url}/api/incidents`, bomb)).status, 413)
    assert.equal((await post(this.#service.url, '{')).status, 400)
  }

  /** Posts as an operator. A record may have been pruned meanwhile, and a reload may be restarting the thread. */
  async #operate(path: string, body: object | string): Promise<string> {
    const answer = await fetch(this.#service.url + path, {
      method: 'POST',
      headers: {
        'X-Gateway-Secret': SECRET,
        'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await answer.text()
    assert.ok(answer.ok || [404, 409, 503].includes(answer.status), `${path} was answered ${answer.status} ${text}`)
    return text
  }
}

const BOMB = gzipSync(Buffer.alloc(20_000_000, 32))

/** Accepts 404 for a pruned record and 503 while a reload restarts the thread. */
function unlessGone(error: unknown): void {
  assert.match(String(error), /: (404|503) /)
}
