import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { CLUSTER } from '../../src/telemetry/metrics/cluster.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { scrapeOf } from '../harness/metrics.ts'
import { freePort } from '../harness/net/port.ts'
import { post } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')
/** Metrics of the process that the rules use. */
const OTHERS = new Set(['process_resident_memory_bytes', 'process_cpu_seconds_total'])

async function scrape(url: string) {
  const answer = await fetch(`${url}/metrics`)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
  return scrapeOf(await answer.text())
}

test('metrics count from the request to the answer of the provider', async (t) => {
  const { chat, alert } = await twoChannels(t)
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  for (const severity of ['critical', 'p1', 'a word of its own']) await post(system.url, { title: 'full', severity })
  await post(system.url, '{"a":')
  await chat.waitFor(() => chat.requests.length >= 3)
  const sent = 'tocsin_deliveries_total{channel="chatws",state="sent"}'
  const { types, values } = await until(
    () => scrape(system.url),
    (scraped) => scraped.values.get(sent) === 3,
  )
  assert.equal(values.get('tocsin_incidents_accepted_total{source="webhook"}'), 3)
  assert.equal(values.get('tocsin_requests_refused_total{code="body_not_json"}'), 1)
  assert.equal(values.get('tocsin_requests_refused_total{code="backlog_full"}'), 0)
  assert.equal(values.get('tocsin_delivery_seconds_count{channel="chatws",severity="critical"}'), 2)
  assert.equal(values.get('tocsin_delivery_seconds_bucket{channel="chatws",severity="warning",le="+Inf"}'), 1)
  assert.equal(values.get('tocsin_circuits{channel="chatws",state="closed"}'), 1)
  assert.equal(values.get('tocsin_thread_up{thread="store"}'), 1)
  assert.equal(values.get('tocsin_incidents_stored'), 3)
  assert.equal(values.get('tocsin_incidents_quarantined'), 0)
  assert.equal(values.get('tocsin_journal_damaged_total'), 0)
  for (const [name, type] of types) {
    assert.match(name, /^(tocsin|process|nodejs|alertmanager)_[a-z0-9_]+$/)
    assert.equal(type === 'counter', name.endsWith('_total'), `${name} is a ${type}`)
  }
})

test('every metric that the alert rules and the dashboard name is served', async (t) => {
  const system = await startTestSystem(t, configFile(folder()))
  const { types } = await scrape(system.url)
  const rules = parse(readFileSync(join(DEPLOY, 'prometheus/tocsin.rules.yaml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/tocsin.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[]
  }
  const expressions = [
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ]
  assert.ok(expressions.length > 50)
  const named = new Set(expressions.flatMap((expr) => expr.match(/\b(?:tocsin|process)_[a-z0-9_]+/g) ?? []))
  // Served only with a database that replicas share.
  const ofReplicas = CLUSTER.map(({ name }) => name)
  const served = (name: string) =>
    types.has(name) || ofReplicas.includes(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram'
  assert.deepEqual(
    [...named].filter((name) => !served(name)),
    [],
  )
  assert.deepEqual(
    ofReplicas.filter((name) => types.has(name)),
    [],
  )
  const used = [...named].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  assert.deepEqual(
    [...OTHERS].filter((name) => !used.includes(name)),
    [],
  )
})

test('metrics move to a port of their own, or away', async (t) => {
  const own = await freePort()
  const elsewhere = await startTestSystem(t, configFile(folder(), { metrics: { port: own } }))
  assert.equal((await fetch(`${elsewhere.url}/metrics`)).status, 404)
  const { values } = await scrape(`http://127.0.0.1:${own}`)
  assert.equal(values.get('tocsin_thread_up{thread="main"}'), 1)
  assert.equal((await fetch(`http://127.0.0.1:${own}/api/admin/stats`)).status, 404)
  await elsewhere.stop()
  await assert.rejects(fetch(`http://127.0.0.1:${own}/metrics`))
  const nowhere = await startTestSystem(t, configFile(folder(), { metrics: { enable: false } }))
  assert.equal((await fetch(`${nowhere.url}/metrics`)).status, 404)
})
