import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { PatternPage } from '../../src/api/agent/pattern.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, SECRET } from '../harness/net/requests.ts'
import { type Running, startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

const SCRIPT = fileURLToPath(new URL('./export-logs.ts', import.meta.url))
const EXPORTERS = ['@opentelemetry/exporter-logs-otlp-http', '@opentelemetry/exporter-logs-otlp-proto']
const PACKAGES = [...EXPORTERS, '@opentelemetry/sdk-logs', '@opentelemetry/resources', '@opentelemetry/api-logs']
/** A program of the OpenTelemetry Collector: go install github.com/open-telemetry/opentelemetry-collector-contrib/cmd/telemetrygen@latest */
const TELEMETRYGEN = process.env.TELEMETRYGEN ?? 'telemetrygen'
const TOKEN = 'otlp-token-0123456789'
const RECORDS = 2_000

/** Installs the exporters into a folder of their own; `OTLP_EXPORTERS` names one where they are. */
function exporters(): string {
  const given = process.env.OTLP_EXPORTERS
  if (given !== undefined) return given
  const dir = folder()
  const { status, stderr } = spawnSync('npm', ['install', '--prefix', dir, '--no-audit', '--no-fund', ...PACKAGES])
  assert.equal(status, 0, `the exporters cannot be installed: ${stderr}`)
  return dir
}
const packages = exporters()

function start(t: TestContext, pollInterval: string) {
  const sources = [{ name: 'otel', type: 'otlp', otlp: { token: TOKEN } }]
  const agent = { enable: true, mode: 'training', poll_interval: pollInterval, sources }
  return startTestSystem(t, configFile(folder(), { gateway_secret: SECRET, agent }))
}

interface Export {
  readonly name: string
  readonly compression: 'none' | 'gzip'
  readonly token?: string
}

/** Starts an exporter; `go` lets it export, and resolves with the errors that it printed. */
function startExporter({ url }: { readonly url: string }, { name, compression, token = TOKEN }: Export) {
  const args = [SCRIPT, packages, name, `${url}/v1/logs`, token, compression, String(RECORDS)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  return async () => {
    child.stdin.write('go\n')
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
    return printed
  }
}

const countOf = ({ patterns }: PatternPage, words: string) =>
  patterns.reduce((sum, { template, count }) => sum + (template.includes(words) ? count : 0), 0)

const patterns = ({ url }: Running) => admin<PatternPage>(url, '/api/agent/patterns')

for (const name of EXPORTERS)
  for (const compression of ['none', 'gzip'] as const)
    test(`all records of ${name} arrive, compression ${compression}`, async (t) => {
      const system = await start(t, '20ms')
      assert.equal(await startExporter(system, { name, compression })(), '')
      const found = await until(
        () => patterns(system),
        (page) => countOf(page, name) >= RECORDS,
      )
      assert.equal(countOf(found, name), RECORDS)
      const [first] = found.patterns
      assert.equal(first?.service, 'ledger')
      assert.match(first?.template ?? '', /^ERROR payment .* exception\.type=TimeoutError$/)
    })

test('an exporter is told of a wrong token', async (t) => {
  const [name = ''] = EXPORTERS
  const printed = await startExporter(await start(t, '20ms'), { name, compression: 'none', token: 'wrong' })()
  assert.match(printed, /Unauthorized|401/)
})

test('an exporter that is answered 503 repeats its records after the time that it is told', async (t) => {
  const system = await start(t, '20ms')
  const [, name = ''] = EXPORTERS
  const busy = await startBusy(t, system.url)
  assert.equal(await startExporter(busy, { name, compression: 'gzip' })(), '')
  assert.equal(busy.refused, 1)
  const found = await until(
    () => patterns(system),
    (page) => countOf(page, name) >= RECORDS,
  )
  assert.equal(countOf(found, name), RECORDS)
})

/** Starts a proxy that refuses the first request as the agent refuses one for which it has no room. */
async function startBusy(t: TestContext, to: string) {
  const busy = { url: '', refused: 0 }
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (busy.refused === 0) {
      busy.refused++
      response.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/x-protobuf' }).end()
      return
    }
    const headers = Object.entries(request.headersDistinct).map(([key, [value = ''] = []]): [string, string] => [
      key,
      value,
    ])
    const sent = headers.filter(([key]) => /^(authorization|content-type|content-encoding)$/.test(key))
    const answer = await fetch(`${to}${request.url}`, { method: 'POST', headers: sent, body: new Uint8Array(body) })
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  busy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return busy
}

const hasTelemetrygen = spawnSync(TELEMETRYGEN, ['--help']).status === 0

test('all records of telemetrygen arrive', { skip: !hasTelemetrygen && `${TELEMETRYGEN} is missing` }, async (t) => {
  const system = await start(t, '20ms')
  await promisify(execFile)(TELEMETRYGEN, [
    'logs',
    '--otlp-http',
    '--otlp-insecure',
    ...['--otlp-endpoint', new URL(system.url).host, '--otlp-header', `Authorization="Bearer ${TOKEN}"`],
    ...['--logs', String(RECORDS), '--rate', '0', '--service', 'ledger', '--severity-text', 'ERROR'],
    ...['--severity-number', '17', '--body', 'payment was not captured'],
  ])
  const found = await until(
    () => patterns(system),
    (page) => countOf(page, 'payment') >= RECORDS,
  )
  assert.equal(countOf(found, 'payment'), RECORDS)
  assert.equal(found.patterns[0]?.service, 'ledger')
})
