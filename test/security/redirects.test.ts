import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Agent } from 'undici'
import { modelBackend } from '../../src/analysis/model-backend.ts'
import { callApi } from '../../src/commands/service.ts'
import { createElasticsearchSource } from '../../src/mining/sources/elasticsearch.ts'
import { createLokiSource } from '../../src/mining/sources/loki.ts'
import { createQuery } from '../../src/mining/sources/query.ts'
import { openOutbound } from '../../src/topic/outbound.ts'
import { askOptions, observation } from '../analysis/setup.ts'
import { channelOf, forever, keysFor, messageOf } from '../channels/setup.ts'
import { KINDS, pageOf, providerAt } from '../oncall/setup.ts'
import { startInternet } from '../topic/internet.ts'

const STATUSES = [301, 302, 303, 307, 308]
const SECRET = 'secret-of-the-redirects'

const everyKind = (t: TestContext) => Promise.all(STATUSES.map((status) => given(t, status)))

/** Starts a server that redirects every request to a second one, and records the requests that reach the second. */
async function given(t: TestContext, status: number) {
  const asked: string[] = []
  const serve = (answer: Parameters<typeof createServer>[1]) => {
    const server = createServer(answer).listen(0, '127.0.0.1')
    t.after(() => server.close().closeAllConnections())
    return once(server, 'listening').then(() => (server.address() as AddressInfo).port)
  }
  const elsewhere = await serve(({ url, headers }, res) => {
    asked.push(`${url} ${JSON.stringify(headers)}`)
    res.end('{"ok":true}')
  })
  const port = await serve((req, res) => {
    req.resume()
    res.writeHead(status, { Location: `http://127.0.0.1:${elsewhere}/latest/meta-data` }).end()
  })
  return { status, asked, url: `http://127.0.0.1:${port}`, port }
}

const CHANNELS = ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat'] as const

test('no channel follows a redirect', async (t) => {
  for (const { asked, ...at } of await everyKind(t)) {
    for (const kind of CHANNELS) {
      const outcome = await channelOf(kind, keysFor(kind, at)).send(messageOf(), forever)
      assert.equal(outcome.kind, 'failed', kind)
    }
    assert.deepEqual(asked, [])
  }
})

test('no pager follows a redirect', async (t) => {
  for (const { asked, ...at } of await everyKind(t)) {
    for (const kind of KINDS)
      assert.equal((await (await providerAt(kind, at)).send(pageOf(), forever)).kind, 'failed', kind)
    assert.deepEqual(asked, [])
  }
})

test('no source of logs follows a redirect', async (t) => {
  for (const { asked, url } of await everyKind(t)) {
    const { query, close } = createQuery()
    t.after(close)
    const tools = { now: () => Date.now(), query }
    const login = { username: '', password: SECRET }
    const loki = createLokiSource({ address: url, query: '{}', tenantId: '', token: SECRET, ...login }, tools)
    const fields = {
      index: 'logs',
      timeField: 'at',
      query: '*',
      messageField: 'message',
      extraFields: [],
      reorderWindowMs: 0,
    }
    const elastic = createElasticsearchSource({ addresses: [url], ...fields, apiKey: SECRET, ...login }, tools)
    for (const source of [loki, elastic])
      await assert.rejects(source.pull({ since: source === loki ? '1' : 1, seen: [] }, forever), {
        code: 'source_failed',
      })
    assert.deepEqual(asked, [])
  }
})

test('the command line shows the gateway secret to nobody that a redirect names', async (t) => {
  for (const { status, asked, url } of await everyKind(t)) {
    const dispatcher = new Agent()
    t.after(() => dispatcher.close())
    for (const sent of [{}, { method: 'POST', json: {} }] as const)
      await assert.rejects(callApi({ url, secret: SECRET, dispatcher }, '/api/admin/stats', sent), { status })
    assert.deepEqual(asked, [])
  }
})

test('the topic service is not followed through a redirect', async (t) => {
  for (const { status, asked, url } of await everyKind(t)) {
    const outbound = openOutbound()
    t.after(() => outbound.close())
    const answer = await outbound.send({ url, method: 'GET', maxBytes: 1_000, deadlineMs: 5_000 })
    assert.deepEqual([answer.status, asked], [status, []])
  }
})

test('the model is not followed through a redirect', async (t) => {
  const net = await startInternet(t)
  const backend = modelBackend(askOptions({ apiKey: SECRET }))
  for (const status of STATUSES) {
    net.answer = ({ host }) =>
      host === 'api.openai.com' ? { status, headers: { Location: 'https://elsewhere.test/' } } : { body: '{}' }
    await assert.rejects(backend.analyze(observation(), forever), { kind: 'failed' })
    assert.deepEqual([...new Set(net.connects)], ['api.openai.com:443'])
  }
})
