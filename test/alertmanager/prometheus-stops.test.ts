import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { alertNews } from '../harness/alerts.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { freePort } from '../harness/net/port.ts'
import { end, startProcess } from '../harness/process.ts'
import { until } from '../harness/until.ts'
import { startPrometheus } from './start-prometheus.ts'

/** Prometheus that sends again each 5 s gives an alert 20 s. */
const CLAIM_MS = 20_000
const NAMES = ['Disk', 'Memory', 'Queue']

const RULES = NAMES.map((alert) => ({ alert, expr: 'vector(1)' }))
const FIRING = NAMES.map((name) => `${name} firing`)

const sorted = async (url: string) => (await alertNews(url)).sort()

test('a service that was killed for longer than the alerts were valid tells nothing false', async (t) => {
  const dir = folder()
  const file = configFile(dir, { port: await freePort(), log: { level: 'info' } })
  const first = await startProcess(t, file)
  const prometheus = await startPrometheus(t, { dir: join(dir, 'prometheus'), url: first.url, rules: RULES })
  const { url } = first
  await until(
    () => sorted(url),
    ({ length }) => length === NAMES.length,
  )
  await end(first.child)
  const killedAt = Date.now()
  await until(() => Date.now() > killedAt + 1.2 * CLAIM_MS)
  const again = await startProcess(t, file)
  assert.equal(again.url, url)
  const sent = await prometheus.count()
  await prometheus.sent(sent + 2 * NAMES.length)
  assert.deepEqual(await sorted(url), FIRING)
  prometheus.rules(RULES.map((rule, nth) => (nth === 0 ? { ...rule, expr: 'vector(1) > 2' } : rule)))
  const news = await until(
    () => sorted(url),
    ({ length }) => length > NAMES.length,
  )
  assert.deepEqual(news, [...FIRING, 'Disk resolved'].sort())
})

test('alerts of a Prometheus that died are resolved once they are valid no more', async (t) => {
  const dir = folder()
  const file = configFile(dir, { log: { level: 'info' }, intake: { alertmanager: { start_grace: '1s' } } })
  const { url } = await startProcess(t, file)
  const prometheus = await startPrometheus(t, { dir: join(dir, 'prometheus'), url, rules: RULES })
  await until(
    () => sorted(url),
    ({ length }) => length === NAMES.length,
  )
  prometheus.child.kill('SIGKILL')
  await once(prometheus.child, 'exit')
  const news = await until(
    () => sorted(url),
    ({ length }) => length === 2 * NAMES.length,
  )
  assert.deepEqual(news, NAMES.flatMap((name) => [`${name} firing`, `${name} resolved`]).sort())
})
