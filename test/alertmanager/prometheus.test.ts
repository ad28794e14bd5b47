import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { stringify } from 'yaml'
import { alertNews, assertAlternate } from '../harness/alerts.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { freePort } from '../harness/net/port.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

const BINARY = 'prometheus'
const ALERTS = 200

test('two Prometheus with equal alerts make one incident of each, also when one is stopped and started', async (t) => {
  assert.equal(spawnSync(BINARY, ['--version']).status, 0, `${BINARY} is missing: apt-get install prometheus`)
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

interface Start {
  readonly dir: string
  /** Of Tocsin. */
  readonly url: string
  readonly rules: readonly object[]
  readonly port?: number
}

/** Starts a Prometheus that evaluates each second and sends each alert again after 5 s: one that is 20 s old is over. */
async function startPrometheus(t: TestContext, { dir, url, rules, port: given }: Start) {
  const port = given ?? (await freePort())
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'rules.yml'), stringify({ groups: [{ name: 'disks', rules }] }))
  const config = join(dir, 'prometheus.yml')
  writeFileSync(
    config,
    stringify({
      global: { evaluation_interval: '1s' },
      rule_files: ['rules.yml'],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(url).host] }] }] },
    }),
  )
  const child = spawn(
    BINARY,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--web.external-url=http://127.0.0.1:${port}`,
      '--rules.alert.resend-delay=5s',
    ],
    { stdio: 'ignore' },
  )
  t.after(() => child.kill('SIGKILL'))
  const sent = async () => {
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    )
    return Number(/^prometheus_notifications_sent_total\{[^}]*\} (\S+)$/m.exec(metrics)?.[1] ?? 0)
  }
  return {
    child: child as ChildProcess,
    port,
    /** Resolves once it has sent that many alerts since its start, repeated ones too. */
    sent: (alerts: number) => until(sent, (found) => found >= alerts),
  }
}
