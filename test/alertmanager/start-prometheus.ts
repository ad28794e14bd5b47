import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { stringify } from 'yaml'
import { freePort } from '../harness/net/port.ts'
import { until } from '../harness/until.ts'

const BINARY = 'prometheus'

interface Start {
  readonly dir: string
  /** Of Tocsin. */
  readonly url: string
  readonly rules: readonly object[]
  readonly port?: number
}

/** Starts a Prometheus that evaluates each second and sends each alert again after 5 s: one that is 20 s old is over. */
export async function startPrometheus(t: TestContext, { dir, url, rules, port: given }: Start) {
  assert.equal(spawnSync(BINARY, ['--version']).status, 0, `${BINARY} is missing: apt-get install prometheus`)
  const port = given ?? (await freePort())
  mkdirSync(dir, { recursive: true })
  const write = (all: readonly object[]) =>
    writeFileSync(join(dir, 'rules.yml'), stringify({ groups: [{ name: 'disks', rules: all }] }))
  write(rules)
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
  const count = async () => {
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    )
    return Number(/^prometheus_notifications_sent_total\{[^}]*\} (\S+)$/m.exec(metrics)?.[1] ?? 0)
  }
  return {
    child: child as ChildProcess,
    port,
    count,
    /** Changes the rules. */
    rules(changed: readonly object[]): void {
      write(changed)
      child.kill('SIGHUP')
    },
    /** Resolves once it has sent that many alerts since its start, repeated ones too. */
    sent: (alerts: number) => until(count, (found) => found >= alerts),
  }
}
