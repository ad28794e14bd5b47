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
import { admin, post, SECRET } from '../../harness/requests.ts'

/** A receiver of everything, which fails as the dice say: a few of a hundred hang or are refused, or all hang while it is `out`. */
export async function startFlakyProvider(t: TestContext, roll: () => number) {
  const flakyProvider = { url: '', alert: {}, hangs: false, mended: false }
  const server = createServer((request, response) => {
    request.resume()
    const rolled = flakyProvider.mended ? 1 : roll()
    if (flakyProvider.hangs || rolled < 0.02) return
    response.statusCode = rolled < 0.1 ? 500 : 200
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

/** Everything that people and machines do to a service, each in its own rhythm, until told to stop. */
export class LoadMix {
  /** Of the incidents that were answered since the last look. */
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

  /** Rejects with the first thing that is not as it should be. */
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
      every(15_000, 'replays', () => this.#tell('/api/admin/deliveries/replay', { state: 'dead' })),
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

  /** Without waiting for the answers, as long as they come. */
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
      if (!page.endsWith('/')) await admin(this.#service.url, `/api/admin/${page}`).catch(unlessAway)
    await (await fetch(`${this.#service.url}/metrics`)).arrayBuffer()
    await admin(this.#service.url, '/api/agent/patterns').catch(unlessAway)
  }

  async #log(): Promise<void> {
    const text = Array.from({ length: 20 }, (_, n) => `INFO request ${n} of user ${this.#posted} took ${n} ms\n`)
    if (this.#posted % 50 === 0) text.push(`ERROR worker ${'abcdefgh'[this.#posted % 8]} lost its lease\n`)
    appendFileSync(this.#service.logs, text.join(''))
    await this.#tell('/api/agent/logs/push', text.join(''))
  }

  async #decide(): Promise<void> {
    if (this.#lastId === '') return
    for (const what of ['ack', 'resend', 'resolve'])
      await this.#tell(`/api/admin/incidents/${this.#lastId}/${what}`, { by: 'somebody' })
  }

  async #tail(): Promise<void> {
    const answer = await this.#tell('/api/admin/tail/ticket', {})
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

  /** What an operator tells it; what was pruned meanwhile may be gone. */
  async #tell(path: string, body: object | string): Promise<string> {
    const answer = await fetch(this.#service.url + path, {
      method: 'POST',
      headers: {
        'X-Gateway-Secret': SECRET,
        'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const says = await answer.text()
    assert.ok(answer.ok || [404, 409, 503].includes(answer.status), `${path} was answered ${answer.status} ${says}`)
    return says
  }
}

const BOMB = gzipSync(Buffer.alloc(20_000_000, 32))

/** Pruned meanwhile, or held by a thread that a reload is just replacing. */
function unlessAway(error: unknown): void {
  assert.match(String(error), /: (404|503) /)
}
