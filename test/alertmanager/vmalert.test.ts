import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { alertNews, assertAlternate } from '../harness/alerts.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { freePort } from '../harness/net/port.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'
import { startPrometheus } from './start-prometheus.ts'

/** A program of VictoriaMetrics: go install github.com/VictoriaMetrics/VictoriaMetrics/app/vmalert@v1.151.0 */
const VMALERT = process.env.VMALERT ?? 'vmalert'
const hasVmalert = spawnSync(VMALERT, ['-version']).status === 0
const ALERTS = 20

test('vmalert makes one incident of each alert, and one of its end', {
  skip: !hasVmalert && `${VMALERT} is missing`,
}, async (t) => {
  const dir = folder()
  const { url, log } = await startTestSystem(t, configFile(dir))
  const asked = await startPrometheus(t, { dir: join(dir, 'prometheus'), url, rules: [] })
  const rulesFile = join(dir, 'rules.yml')
  const port = await freePort()
  const rules = Array.from({ length: ALERTS }, (_, nth) => ({
    alert: `Disk${nth}`,
    expr: `vector(time()) < ${Math.ceil(Date.now() / 1_000) + 20}`,
    labels: { severity: 'critical' },
    annotations: { summary: 'at {{ $value }}' },
  }))
  writeFileSync(rulesFile, stringify({ groups: [{ name: 'disks', interval: '1s', rules }] }))
  mkdirSync(join(dir, 'vmalert'))
  const child = spawn(
    VMALERT,
    [
      `-rule=${rulesFile}`,
      `-datasource.url=http://127.0.0.1:${asked.port}`,
      `-notifier.url=${url}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-rule.resendDelay=2s',
    ],
    { stdio: 'ignore', cwd: join(dir, 'vmalert') },
  )
  t.after(() => child.kill('SIGKILL'))
  const sent = async () => {
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    )
    return Number(/^vmalert_alerts_sent_total\{[^}]*\} (\S+)$/m.exec(metrics)?.[1] ?? 0)
  }
  await until(sent, (found) => found >= 3 * ALERTS)
  assert.equal((await alertNews(url)).length, ALERTS)
  const news = await until(
    () => alertNews(url),
    ({ length }) => length >= 2 * ALERTS,
  )
  const before = await sent()
  await until(sent, (found) => found > before + ALERTS, { deadlineMs: 90_000 })
  assert.equal((await alertNews(url)).length, 2 * ALERTS)
  assertAlternate(news)
  assert.deepEqual(
    log.lines.filter(({ level }) => level === 'error'),
    [],
  )
})
