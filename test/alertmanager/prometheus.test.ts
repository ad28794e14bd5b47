import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { alertNews, assertAlternate } from '../harness/alerts.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'
import { startPrometheus } from './start-prometheus.ts'

const ALERTS = 200

test('two Prometheus with equal alerts make one incident of each, also when one is stopped and started', async (t) => {
  const dir = folder()
  const { url, log } = await startTestSystem(t, configFile(dir))
  const endsAt = Math.ceil(Date.now() / 1_000) + 60
  const rules = Array.from({ length: ALERTS }, (_, nth) => ({
    alert: `Disk${nth}`,
    expr: `vector(time()) < ${endsAt}`,
    labels: { severity: nth % 2 === 0 ? 'critical' : 'warning' },
    annotations: { summary: 'at {{ $value }}' },
  }))
  const first = await startPrometheus(t, { dir: join(dir, 'a'), url, rules })
  await startPrometheus(t, { dir: join(dir, 'b'), url, rules })
  const news = () => alertNews(url)
  await until(news, (found) => found.length >= ALERTS)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const again = await startPrometheus(t, { dir: join(dir, 'a'), url, rules, port: first.port })
  await again.sent(ALERTS * 3)
  assert.equal((await news()).length, ALERTS)
  const all = await until(news, (found) => found.length >= 2 * ALERTS)
  await again.sent(ALERTS * 15)
  assert.equal((await news()).length, 2 * ALERTS)
  assertAlternate(all)
  assert.deepEqual(
    log.lines.filter(({ level }) => level === 'error'),
    [],
  )
})
