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

/** An HTTP server that answers with what `answer` makes of the request: JSON, or a status. */
async function server(t: TestContext, answer: (asked: ReceivedRequest) => object | number) {
  const http = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const url = new URL(req.url ?? '/', 'http://localhost')
    const said = answer({ url, headers: req.headers, body: Buffer.concat(chunks).toString() })
    res.writeHead(typeof said === 'number' ? said : 200, { 'content-type': 'application/json' })
    res.end(typeof said === 'number' ? `no, and your secret is ${req.headers.authorization}` : JSON.stringify(said))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.after(() => http.close())
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

function sourceDeps(t: TestContext) {
  const { query, close } = createQuery()
  t.after(close)
  const clock = { ms: START + 60 * SECOND }
  return { clock, tools: { now: () => clock.ms, query } satisfies SourceDeps }
}

describe('Loki', () => {
  interface Entry {
    readonly ns: bigint
    readonly text: string
  }

  /** As much of Loki as is asked of it. */
  async function loki(t: TestContext) {
    const entries: Entry[] = []
    const asked: ReceivedRequest[] = []
    const url = await server(t, (request) => {
      asked.push(request)
      const { searchParams } = request.url
      const between = ({ ns }: Entry) =>
        ns >= BigInt(searchParams.get('start') ?? 0) && ns < BigInt(searchParams.get('end') ?? 0)
      const found = entries.filter(between).slice(0, Number(searchParams.get('limit')))
      const values = found.map(({ ns, text }) => [String(ns), text])
      const result = values.length > 0 ? [{ stream: { app: 'ledger' }, values }] : []
      return { status: 'success', data: { resultType: 'streams', result } }
    })
    const { clock, tools: given } = sourceDeps(t)
    const options = { address: url, query: '{app="ledger"}', username: '', password: '', token: 'of-loki' }
    const log = new LogFollower(t, () => createLokiSource(options, given))
    const write = (ms: number, text: string) => entries.push({ ns: BigInt(ms) * 1_000_000n, text })
    return { log, write, clock, asked, entries }
  }

  test('begins with what is written from now on and goes on behind the last entry', async (t) => {
    const { log, write, clock, asked } = await loki(t)
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
    assert.equal(asked.at(-1)?.headers.authorization, 'Bearer of-loki')
    assert.equal(asked.at(-1)?.url.searchParams.get('direction'), 'forward')
  })

  test('tells entries of one nanosecond apart: none is read twice, a late one is not missed', async (t) => {
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

  test('reads page after page, also one that holds a single nanosecond', async (t) => {
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

  test('says what is wrong with its answer, and nothing of the secret', async (t) => {
    const { tools: given } = sourceDeps(t)
    const options = { query: '{}', username: 'kim', password: 'pass-of-loki', token: '' }
    for (const [answer, says] of [
      [500, /answered HTTP 500/],
      [{ data: {} }, /without data\.result/],
      [{ data: { result: [{ metric: {}, value: [] }] } }, /must be one of log lines/],
    ] as const) {
      const address = await server(t, () => answer)
      const log = new LogFollower(t, () => createLokiSource({ ...options, address }, given))
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

  /** As much of Elasticsearch as is asked of it. */
  async function elasticsearch(t: TestContext, addresses: readonly string[] = []) {
    const docs: Doc[] = []
    const asked: ReceivedRequest[] = []
    const url = await server(t, (request) => {
      asked.push(request)
      const { size, query } = JSON.parse(request.body)
      const { gte, lt } = query.bool.filter[0].range['@timestamp']
      const seen: string[] = query.bool.must_not?.[0].ids.values ?? []
      const found = docs.filter(({ id, at }) => at >= gte && at < lt && !seen.includes(id)).sort((a, b) => a.at - b.at)
      const hits = found.slice(0, size).map(({ id, at, message }) => ({
        _id: id,
        sort: [at],
        _source: { message, service: { name: 'ledger' } },
      }))
      return { hits: { hits } }
    })
    const { clock, tools: given } = sourceDeps(t)
    const options = { index: 'logs-*,app', timeField: '@timestamp', query: 'level:error', messageField: 'message' }
    const login = { username: '', password: '', apiKey: 'of-elastic' }
    const log = new LogFollower(t, () =>
      createElasticsearchSource({ ...options, ...login, addresses: [...addresses, url] }, given),
    )
    const write = (at: number, message: string) => docs.push({ id: `id-${docs.length}`, at, message })
    return { log, write, clock, asked, docs }
  }

  test('begins with what is written from now on and goes on behind the last document', async (t) => {
    const { log, write, clock, asked } = await elasticsearch(t)
    write(START, 'long ago')
    assert.deepEqual(await log.read(), [])
    write(clock.ms, 'one')
    clock.ms += 10 * SECOND
    assert.deepEqual(await log.events(), [{ text: 'one', service: 'ledger' }])
    await log.restart()
    assert.deepEqual(await log.read(), [])
    assert.equal(asked.at(-1)?.url.pathname, '/logs-*,app/_search')
    assert.equal(asked.at(-1)?.headers.authorization, 'ApiKey of-elastic')
    assert.equal(JSON.parse(asked.at(-1)?.body ?? '').query.bool.filter[1].query_string.query, 'level:error')
  })

  test('tells documents of one millisecond apart, page after page', async (t) => {
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

  test('goes on with another node when one cannot be reached', async (t) => {
    const { log, write, clock } = await elasticsearch(t, ['http://127.0.0.1:9'])
    await log.read()
    write(clock.ms, 'one')
    clock.ms += 10 * SECOND
    assert.deepEqual(await log.read(), ['one'])
  })
})

describe('logs that are pushed', () => {
  const bytes = (text: string) => Buffer.from(text)

  test('are lines, ndjson or an array of records, plain or gzipped', async (t) => {
    const source = createPushSource()
    const log = new LogFollower(t, () => source)
    assert.equal(await source.push(bytes('one\n  goes on\r\ntwo\n'), 'text/plain'), 2)
    assert.equal(
      await source.push(bytes('{"message":"three","service":"ledger"}\n\nfour\n'), 'application/x-ndjson'),
      2,
    )
    assert.equal(await source.push(gzipSync(bytes('[{"log":"five"},"six"]')), 'application/json; charset=utf-8'), 2)
    assert.deepEqual(await log.events(), [
      { text: 'one\n  goes on' },
      { text: 'two' },
      { text: 'three', service: 'ledger' },
      { text: 'four' },
      { text: 'five' },
      { text: 'six' },
    ])
  })

  test('that cannot be read are refused with what is wrong with them', async () => {
    const source = createPushSource()
    await assert.rejects(source.push(bytes('{'), 'application/json'), { code: 'body_not_json' })
    await assert.rejects(source.push(Buffer.from([0x1f, 0x8b, 0]), 'text/plain'), { code: 'body_bad_encoding' })
    await assert.rejects(source.push(gzipSync(Buffer.alloc(40_000_000)), 'text/plain'), { code: 'body_too_large' })
  })

  test('are refused when too much waits, and taken again when it was read', async (t) => {
    const source = createPushSource()
    const log = new LogFollower(t, () => source)
    const much = bytes(`${'x'.repeat(1_000)}\n`.repeat(9_000))
    await source.push(much, 'text/plain')
    await assert.rejects(source.push(much, 'text/plain'), { code: 'agent_lagging' })
    assert.equal((await log.read()).length, 9_000)
    assert.equal(await source.push(much, 'text/plain'), 9_000)
  })
})
