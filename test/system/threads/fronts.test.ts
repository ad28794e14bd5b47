import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { configFile, folder } from '../../harness/config-file.ts'
import { freePort } from '../../harness/net/port.ts'
import { type Answer, admin, ask, CONNECTIONS, everywhere } from '../../harness/net/requests.ts'
import { tailOf } from '../../harness/net/tail.ts'
import { end, startProcess } from '../../harness/process.ts'
import { startTestSystem } from '../../harness/system.ts'
import { watchThreads } from '../../harness/threads.ts'
import { until } from '../../harness/until.ts'

const TWO = { http: { threads: 2 } }

const raise = (url: string, nth: number) =>
  ask(url, '/api/incidents', { method: 'POST', body: JSON.stringify({ ServiceName: `front-${nth}` }) })

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))]

function listeners(port: number): number {
  const place = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return lines.filter((line) => line.includes(place) && line.trim().split(/\s+/)[3] === '0A').length
}

test('what two fronts accept is on disk, and counted together', async (t) => {
  const { url, port } = await startTestSystem(t, configFile(folder(), TWO))
  assert.equal(listeners(port), 2)
  const answers = await everywhere((nth) => raise(url, nth))
  assert.deepEqual(statuses(answers), [201])
  const ids = new Set(answers.map(({ id }) => id))
  assert.equal(ids.size, CONNECTIONS)
  type Page = { readonly incidents: readonly { readonly id: string }[]; readonly unapplied: number }
  const { incidents } = await until(
    () => admin<Page>(url, `/api/admin/incidents?limit=${CONNECTIONS}`),
    ({ unapplied }) => unapplied === 0,
  )
  assert.deepEqual(new Set(incidents.map(({ id }) => id)), ids)
  for (const { text } of await everywhere(() => ask(url, '/metrics')))
    assert.match(text, new RegExp(`tocsin_incidents_accepted_total{source="webhook"} ${CONNECTIONS}\n`))
})

test('a key that one front has seen is known to the other', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder(), TWO))
  const keyed = () =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' }
      http
        .request(`${url}/api/incidents`, { method: 'POST', headers, agent: false }, (res) => {
          res.resume()
          resolve(res.statusCode ?? 0)
        })
        .on('error', reject)
        .end('{"ServiceName":"keyed"}')
    })
  const given = await Promise.all(Array.from({ length: CONNECTIONS }, keyed))
  assert.deepEqual(given.toSorted(), [...Array(CONNECTIONS - 1).fill(200), 201])
})

test('wrong secrets on two fronts count together', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder(), TWO))
  const guessed: number[] = []
  for (let n = 0; n < 30; n++) guessed.push((await ask(url, '/api/admin/stats', { secret: 'wrong' })).status)
  assert.deepEqual(guessed, [...Array(20).fill(401), ...Array(10).fill(429)])
  assert.deepEqual(statuses(await everywhere(() => ask(url, '/api/admin/stats'))), [429])
})

test('hundreds of gzipped bodies at once are accepted by two fronts, up to the limit of a reload', async (t) => {
  const log = { level: 'info' }
  const file = configFile(folder(), { ...TWO, log })
  const { url, child } = await startProcess(t, file)
  const zip = (body: string) =>
    ask(url, '/api/incidents', { method: 'POST', body: gzipSync(body), headers: { 'Content-Encoding': 'gzip' } })
  const some = await Promise.all(Array.from({ length: 400 }, (_, n) => zip(`{"ServiceName":"zipped-${n}"}`)))
  assert.deepEqual(statuses(some), [201])
  const large = `{"title":"${'x'.repeat(2 << 20)}"}`
  assert.deepEqual(statuses(await everywhere(() => zip(large))), [413])
  configFile(dirname(file), { log, http: { ...TWO.http, max_body_bytes: 4 << 20 } })
  child.kill('SIGHUP')
  await until(async () => (await everywhere(() => zip(large))).every(({ status }) => status !== 413))
})

test('every front answers the routes of the main thread', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder(), TWO))
  const { id } = await raise(url, 0)
  const asked: readonly (readonly [string, number, { method?: string; body?: string; secret?: string }?])[] = [
    ['/healthz', 200],
    ['/readyz', 200],
    ['/', 200],
    ['/api/openapi.json', 200],
    ['/api/admin/stats', 200],
    ['/api/admin/stats', 401, { secret: 'another' }],
    [`/api/admin/incidents/${id}`, 200],
    ['/api/admin/incidents/none', 404],
    ['/api/admin/incidents?limit=none', 400],
    [`/api/admin/incidents/${id}/ack`, 200, { method: 'POST', body: '{"by":"somebody"}' }],
    ['/api/admin/incidents', 405, { method: 'POST' }],
    ['/api/ack/none?exp=1&sig=none', 403],
    ['/nothing', 404],
  ]
  for (const [path, status, how] of asked) {
    // Repeated wrong secrets of one address are answered 429.
    const answers = status === 401 ? [await ask(url, path, how)] : await everywhere(() => ask(url, path, how))
    assert.deepEqual([path, statuses(answers)], [path, [status]])
  }
})

test('live-tail clients of each front see incidents of both', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder(), TWO))
  const clients = await Promise.all(Array.from({ length: 16 }, () => tailOf(t, url, '&kinds=incident')))
  await everywhere((nth) => raise(url, nth))
  for (const { until, events } of clients) {
    await until((all) => all.length === CONNECTIONS)
    assert.deepEqual(
      events.map(({ id }) => id),
      clients[0]?.events.map(({ id }) => id),
    )
  }
  const last = clients[0]?.events.at(-10)?.id
  const returned = await Promise.all(Array.from({ length: 8 }, () => tailOf(t, url, `&kinds=incident&after=${last}`)))
  for (const { until } of returned) await until((all) => all.length === 9)
  assert.deepEqual(statuses(await everywhere(() => ask(url, '/api/admin/tail?ticket=none'))), [426])
})

test('a reload reaches every front', async (t) => {
  const dir = folder()
  const file = configFile(dir, TWO)
  const system = await startTestSystem(t, file)
  const client = await tailOf(t, system.url)
  const base = parse(readFileSync(file, 'utf8'))
  await system.reloadFrom(configFile(dir, { ...base, gateway_secret: 'another-secret-of-the-tests' }))
  const { url } = system
  const right = await everywhere(() => ask(url, '/api/admin/stats', { secret: 'another-secret-of-the-tests' }))
  assert.deepEqual(statuses(right), [200])
  assert.equal((await ask(url, '/api/admin/stats')).status, 401)
  assert.equal(await client.closed, 1008)
})

test('while the store is dead every front goes on, and what was accepted is there afterwards', async (t) => {
  const threads = watchThreads(t)
  const { url } = await startTestSystem(t, configFile(folder(), TWO))
  const before = await everywhere((nth) => raise(url, nth))
  await threads.get('store')?.terminate()
  const meanwhile = await everywhere((nth) => raise(url, nth))
  assert.deepEqual(statuses(meanwhile), [201])
  await assertOnRecord(url, [...before, ...meanwhile])
})

test('while the journal is dead every front refuses, and what was accepted is there afterwards', async (t) => {
  const threads = watchThreads(t)
  const { url } = await startTestSystem(t, configFile(folder(), TWO))
  const before = await everywhere((nth) => raise(url, nth))
  await threads.get('journal')?.terminate()
  const meanwhile = await everywhere((nth) => raise(url, nth))
  for (const { status } of meanwhile) assert.ok(status === 503 || status === 201)
  await until(async () => (await everywhere((nth) => raise(url, nth))).every(({ status }) => status === 201))
  await assertOnRecord(url, [...before, ...meanwhile])
})

/** Waits until the storage answers again. */
async function assertOnRecord(url: string, answers: readonly Answer[]): Promise<void> {
  for (const { id, status } of answers)
    if (status === 201) await until(async () => (await ask(url, `/api/admin/incidents/${id}`)).status === 200)
}

test('a process with several fronts exits with 0 and answers the requests under way', async (t) => {
  const port = await freePort()
  const file = configFile(folder(), { http: { threads: 3 }, port, log: { level: 'info' } })
  const { child, url } = await startProcess(t, file)
  const posts = Promise.allSettled(Array.from({ length: CONNECTIONS }, (_, nth) => raise(url, nth)))
  await raise(url, -1)
  assert.deepEqual(await end(child, 'SIGTERM'), [0, null])
  const again = await startTestSystem(t, file)
  for (const each of await posts)
    if (each.status === 'fulfilled' && each.value.status === 201)
      assert.equal((await ask(again.url, `/api/admin/incidents/${each.value.id}`)).status, 200)
})
