import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { PatternPage } from '../../../src/api/agent/pattern.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, SECRET } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const TOKEN = 'otlp-token-0123456789'

function start(t: TestContext, enable = true) {
  const sources = [{ name: 'otel', type: 'otlp', enable, otlp: { token: TOKEN } }]
  const agent = { enable: true, mode: 'training', poll_interval: '20ms', sources }
  return startTestSystem(t, configFile(folder(), { gateway_secret: SECRET, agent }))
}

const logs = (...bodies: readonly object[]) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'ledger' } }] },
      scopeLogs: [{ logRecords: bodies.map((body) => ({ severityNumber: 17, ...body })) }],
    },
  ],
})

const ask = (url: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/logs`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${TOKEN}`, ...headers },
  })

test('log records reach the agent, plain and gzipped; those without text are counted', async (t) => {
  const { url } = await start(t)
  const record = (value: string) => ({ body: { stringValue: value } })
  const plain = await ask(url, JSON.stringify(logs(record('payment 12 failed'))))
  assert.deepEqual([plain.status, await plain.json()], [200, {}])
  const packed = await ask(
    url,
    gzipSync(JSON.stringify(logs(record('cannot open the ledger'), { severityNumber: 1 }))),
    {
      'Content-Encoding': 'gzip',
    },
  )
  assert.deepEqual(await packed.json(), {
    partialSuccess: { rejectedLogRecords: '1', errorMessage: '1 log records have no text' },
  })
  const found = await until(
    () => admin<PatternPage>(url, '/api/agent/patterns'),
    ({ total }) => total === 2,
  )
  assert.deepEqual(new Set(found.patterns.map(({ service }) => service)), new Set(['ledger']))
})

test('what is refused has a status and a code of gRPC, in the type of the request', async (t) => {
  const { url } = await start(t)
  const cases = [
    [await ask(url, '{}', { Authorization: 'Bearer wrong' }), 401, 16],
    [await ask(url, '{}', { Authorization: '' }), 401, 16],
    [await ask(url, '{"resourceLogs":1}'), 400, 3],
    [await ask(url, '{}', { 'Content-Type': 'text/plain' }), 415, 3],
  ] as const
  for (const [answer, status, code] of cases) {
    assert.equal(answer.status, status)
    assert.equal(((await answer.json()) as { code: number }).code, code)
  }
  const binary = await ask(url, Buffer.from([0x08, 0x01]), { 'Content-Type': 'application/x-protobuf' })
  assert.equal(binary.headers.get('content-type'), 'application/x-protobuf')
  assert.deepEqual([binary.status, [...new Uint8Array(await binary.arrayBuffer()).subarray(0, 2)]], [400, [0x08, 3]])
})

test('without a source of the type the path is unknown', async (t) => {
  const { url } = await start(t, false)
  assert.equal((await ask(url, '{}')).status, 404)
})

test('bodies that are too large once unpacked are refused, and the agent goes on', async (t) => {
  const { url } = await start(t)
  const packed = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/x-protobuf' }
  const bomb = await ask(url, gzipSync(Buffer.alloc(33 * 1024 * 1024)), packed)
  assert.equal(bomb.status, 413)
  const records = await ask(url, gzipSync(Buffer.alloc(16 * 1024 * 1024, Buffer.from([0x0a, 0x00]))), packed)
  assert.deepEqual([records.status, [...new Uint8Array(await records.arrayBuffer()).subarray(0, 2)]], [413, [0x08, 3]])
  const large = logs({ body: { stringValue: 'x'.repeat(24 * 1024 * 1024) } }, { body: { stringValue: 'behind it' } })
  // A thread that does not answer in time is 503, which a sender tries again.
  const send = async () => {
    const { status } = await ask(url, JSON.stringify(large))
    assert.ok(status === 200 || status === 503, String(status))
    return status === 200
  }
  await until(send)
  await until(
    () => admin<PatternPage>(url, '/api/agent/patterns'),
    ({ patterns }) => patterns.some(({ template }) => template.includes('behind it')),
  )
})
