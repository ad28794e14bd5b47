import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { SourceDeps } from '../../../src/mining/sources/contract.ts'
import { createElasticsearchSource } from '../../../src/mining/sources/elasticsearch.ts'
import { createLokiSource } from '../../../src/mining/sources/loki.ts'
import { createPushSource } from '../../../src/mining/sources/push.ts'
import { createQuery } from '../../../src/mining/sources/query.ts'
import { LogFollower } from '../setup.ts'

const SECOND = 1_000
const START = 1_800_000_000_000

interface ReceivedRequest {
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Starts an HTTP server that answers each request with the JSON or the status that `answer` returns. */
async function server(t: TestContext, answer: (request: ReceivedRequest) => object | number) {
  const http = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const url = new URL(req.url ?? '/', 'http://localhost')
    const reply = answer({ url, headers: req.headers, body: Buffer.concat(chunks).toString() })
    res.writeHead(typeof reply === 'number' ? reply : 200, { 'content-type': 'application/json' })
    res.end(typeof reply === 'number' ? `no, and your secret is ${req.headers.authorization}` : JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.after(() => http.close())
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

function sourceDeps(t: TestContext) {
  const { query, close } = createQuery()
  t.after(close)
  const clock = { ms: START + 60 * SECOND }
  return { clock, deps: { now: () => clock.ms, query } satisfies SourceDeps }
}

describe('Loki', () => {
  interface Entry {
    readonly ns: bigint
    readonly text: string
  }

  /** A stand-in for the part of Loki's API that the source uses. */
  async function loki(t: TestContext) {
    const entries: Entry[] = []
    const requests: ReceivedRequest[] = []
    const url = await server(t, (request) => {
      requests.push(request)
      const { searchParams } = request.url
      const between = ({ ns }: Entry) =>
        ns >= BigInt(searchParams.get('start') ?? 0) && ns < BigInt(searchParams.get('end') ?? 0)
      const found = entries.filter(between).slice(0, Number(searchParams.get('limit')))
      const values = found.map(({ ns, text }) => [String(ns), text])
      const result = values.length > 0 ? [{ stream: { app: 'ledger' }, values }] : []
      return { status: 'success', data: { resultType: 'streams', result } }
    })
    const { clock, deps } = sourceDeps(t)
    const options = {
      address: url,
      query: '{app="ledger"}',
      username: '',
      password: '',
      token: 'of-loki',
      tenantId: 'team-a|team-b',
    }
    const log = new LogFollower(t, () => createLokiSource(options, deps))
    const write = (ms: number, text: string) => entries.push({ ns: BigInt(ms) * 1_000_000n, text })
    return { log, write, clock, requests, entries }
  }

  test('is read from the time of the first pull on, and then from the last entry', async (t) => {
    const { log, write, clock, requests } = await loki(t)
    write(START, 'long ago')
    assert.deepEqual(await log.read(), [])
    write(clock.ms, 'one')
    write(clock.ms + 1, 'two')
    clock.ms += 10 * SECOND
    assert.deepEqual(await log.events(), [
      { text: 'one', service: 'ledger' },
      { text: 'two', service: 'ledger' },
    ])
    await log.restart()
    assert.deepEqual(await log.read(), [])
    assert.equal(requests.at(-1)?.headers.authorization, 'Bearer of-loki')
    assert.equal(requests.at(-1)?.headers['x-scope-orgid'], 'team-a|team-b')
    assert.equal(requests.at(-1)?.url.searchParams.get('direction'), 'forward')
  })

  test('has entries of one nanosecond read once each, also one that arrives late', async (t) => {
    const { log, write, clock } = await loki(t)
    await log.read()
    const at = clock.ms
    write(at, 'one')
    clock.ms += 10 * SECOND
    assert.deepEqual(await log.read(), ['one'])
    write(at, 'two')
    clock.ms += 10 * SECOND
    await log.restart()
    assert.deepEqual(await log.read(), ['two'])
  })

  test('is read page by page, also when a page holds a single nanosecond', async (t) => {
    const { log, entries, clock } = await loki(t)
    await log.read()
    const at = BigInt(clock.ms) * 1_000_000n
    for (let n = 0; n < 2_500; n++) entries.push({ ns: at + BigInt(n), text: `spread ${n}` })
    for (let n = 0; n < 1_700; n++) entries.push({ ns: at + 10_000n, text: `heap ${n}` })
    entries.push({ ns: at + 20_000n, text: 'last' })
    clock.ms += 10 * SECOND
    assert.deepEqual(
      await log.read(),
      entries.map(({ text }) => text),
    )
  })

  test('rejects with the error of its answer, without secrets', async (t) => {
    const { deps } = sourceDeps(t)
    const options = { query: '{}', username: 'kim', password: 'pass-of-loki', token: '', tenantId: '' }
    for (const [answer, says] of [
      [500, /answered HTTP 500/],
      [{ data: {} }, /without data\.result/],
      [{ data: { result: [{ metric: {}, value: [] }] } }, /must be a log query/],
    ] as const) {
      const address = await server(t, () => answer)
      const log = new LogFollower(t, () => createLokiSource({ ...options, address }, deps))
      log.cursor = { since: '1', seen: [] }
      await assert.rejects(log.read(), (error: Error & { code: string }) => {
        assert.equal(error.code, 'source_failed')
        assert.match(error.message, says)
        assert.ok(!error.message.includes(Buffer.from('kim:pass-of-loki').toString('base64')))
        return true
      })
    }
  })
})

describe('Elasticsearch', () => {
  interface Doc {
    readonly id: string
    readonly at: number
    readonly message: string
  }

  /** A stand-in for the part of Elasticsearch's API that the source uses. */
  async function elasticsearch(t: TestContext, addresses: readonly string[] = [], extraFields: string[] = []) {
    const docs: Doc[] = []
    const requests: ReceivedRequest[] = []
    const url = await server(t, (request) => {
      requests.push(request)
      const { size, query } = JSON.parse(request.body)
      const { gte, lt } = query.bool.filter[0].range['@timestamp']
      const seen: string[] = query.bool.must_not?.[0].ids.values ?? []
      const found = docs.filter(({ id, at }) => at >= gte && at < lt && !seen.includes(id)).sort((a, b) => a.at - b.at)
      const hits = found.slice(0, size).map(({ id, at, message }) => ({
        _id: id,
        sort: [at],
        _source: {
          message,
          service: { name: 'ledger' },
          'log.level': 'error',
          host: { name: 'db-1', ids: [1] },
          none: null,
        },
      }))
      return { hits: { hits } }
    })
    const { clock, deps } = sourceDeps(t)
    const options = {
      reorderWindowMs: 3 * SECOND,
      index: 'logs-*,app',
      timeField: '@timestamp',
      query: 'level:error',
      messageField: 'message',
      extraFields,
    }
    const login = { username: '', password: '', apiKey: 'of-elastic' }
    const log = new LogFollower(t, () =>
      createElasticsearchSource({ ...options, ...login, addresses: [...addresses, url] }, deps),
    )
    const write = (at: number, message: string) => docs.push({ id: `id-${docs.length}`, at, message })
    return { log, write, clock, requests, docs }
  }

  test('is read from the time of the first pull on, and then from the last document', async (t) => {
    const { log, write, clock, requests } = await elasticsearch(t)
    write(START, 'long ago')
    assert.deepEqual(await log.read(), [])
    write(clock.ms, 'one')
    clock.ms += 10 * SECOND
    assert.deepEqual(await log.events(), [{ text: 'one', service: 'ledger' }])
    await log.restart()
    assert.deepEqual(await log.read(), [])
    assert.equal(requests.at(-1)?.url.pathname, '/logs-*,app/_search')
    assert.equal(requests.at(-1)?.headers.authorization, 'ApiKey of-elastic')
    assert.equal(JSON.parse(requests.at(-1)?.body ?? '').query.bool.filter[1].query_string.query, 'level:error')
  })

  test('has the values of extra fields behind the text', async (t) => {
    const fields = ['log.level', 'host.name', 'host.ids', 'none', 'absent']
    const { log, write, clock } = await elasticsearch(t, [], fields)
    await log.read()
    write(clock.ms, 'one')
    clock.ms += 10 * SECOND
    assert.deepEqual(await log.events(), [
      { text: 'one log.level=error host.name=db-1 host.ids=[1]', service: 'ledger' },
    ])
  })

  test('has a late document read in its place when it comes within the window', async (t) => {
    const { log, write, clock } = await elasticsearch(t)
    await log.read()
    const first = clock.ms
    write(first, 'one')
    clock.ms += 2 * SECOND
    assert.deepEqual(await log.read(), [])
    write(first - SECOND / 2, 'late')
    clock.ms += 2 * SECOND
    assert.deepEqual(await log.read(), ['late', 'one'])
  })

  test('has documents of one millisecond read once each, page by page', async (t) => {
    const { log, write, clock, docs } = await elasticsearch(t)
    await log.read()
    for (let n = 0; n < 2_300; n++) write(clock.ms, `heap ${n}`)
    clock.ms += 10 * SECOND
    assert.equal((await log.read()).length, 2_300)
    write(docs[0]?.at ?? 0, 'late')
    write(clock.ms, 'next')
    clock.ms += 10 * SECOND
    await log.restart()
    assert.deepEqual(await log.read(), ['late', 'next'])
  })

  test('is read from another node when one cannot be reached', async (t) => {
    const { log, write, clock } = await elasticsearch(t, ['http://127.0.0.1:9'])
    await log.read()
    write(clock.ms, 'one')
    clock.ms += 10 * SECOND
    assert.deepEqual(await log.read(), ['one'])
  })
})

describe('pushed logs', () => {
  const bytes = (text: string) => Buffer.from(text)

  test('are lines, ndjson or an array of records, plain or gzipped', async (t) => {
    const source = createPushSource()
    const log = new LogFollower(t, () => source)
    assert.equal((await source.push(bytes('one\n  goes on\r\ntwo\n'), 'text/plain')).accepted, 2)
    assert.equal(
      (await source.push(bytes('{"message":"three","service":"ledger"}\n\nfour\n'), 'application/x-ndjson')).accepted,
      2,
    )
    assert.equal(
      (await source.push(gzipSync(bytes('[{"log":"five"},"six"]')), 'application/json; charset=utf-8')).accepted,
      2,
    )
    assert.deepEqual(await log.events(), [
      { text: 'one\n  goes on' },
      { text: 'two' },
      { text: 'three', service: 'ledger' },
      { text: 'four' },
      { text: 'five' },
      { text: 'six' },
    ])
  })

  test('are refused with an error code when they cannot be read', async () => {
    const source = createPushSource()
    await assert.rejects(source.push(bytes('{'), 'application/json'), { code: 'body_not_json' })
    await assert.rejects(source.push(Buffer.from([0x1f, 0x8b, 0]), 'text/plain'), { code: 'body_bad_encoding' })
    await assert.rejects(source.push(gzipSync(Buffer.alloc(40_000_000)), 'text/plain'), { code: 'body_too_large' })
  })

  test('are refused when the buffer is full, and accepted again after a pull', async (t) => {
    const source = createPushSource()
    const log = new LogFollower(t, () => source)
    const much = bytes(`${'x'.repeat(1_000)}\n`.repeat(9_000))
    await source.push(much, 'text/plain')
    await assert.rejects(source.push(much, 'text/plain'), { code: 'agent_lagging' })
    assert.equal((await log.read()).length, 9_000)
    assert.equal((await source.push(much, 'text/plain')).accepted, 9_000)
  })
})
