import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { stringify } from 'yaml'
import { freePort } from '../harness/net/port.ts'

const BINARY = process.env.ALERTMANAGER ?? 'prometheus-alertmanager'

/** A real Alertmanager that notifies at once. */
interface Alertmanager {
  readonly url: string
  /** What it logged. */
  readonly said: readonly string[]
  /** Posts one alert. */
  post(alert: object): Promise<void>
}

/** @param config what it has beside its route to the receiver `tocsin` */
export async function startAlertmanager(t: TestContext, dir: string, config: object): Promise<Alertmanager> {
  const missing = `${BINARY} is missing: apt-get install prometheus-alertmanager`
  assert.equal(spawnSync(BINARY, ['--version']).status, 0, missing)
  const port = await freePort()
  const file = join(dir, 'alertmanager.yml')
  const times = { group_wait: '0s', group_interval: '1s', repeat_interval: '1h' }
  writeFileSync(file, stringify({ route: { receiver: 'tocsin', group_by: ['alertname'], ...times }, ...config }))
  const child = spawn(
    BINARY,
    [
      `--config.file=${file}`,
      `--storage.path=${join(dir, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  t.after(() => child.kill('SIGKILL'))
  const said: string[] = []
  await listening(child, said)
  const url = `http://127.0.0.1:${port}`
  return { url, said, post: (alert) => postAlert(url, alert) }
}

function listening(child: ChildProcess, said: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${BINARY} ended with ${code}: ${said.join('\n')}`)))
    if (!child.stderr) throw new Error('no standard error')
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line)
      if (/Listening on/i.test(line)) resolve()
    })
  })
}

async function postAlert(url: string, alert: object): Promise<void> {
  const answer = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([alert]),
  })
  assert.equal(answer.status, 200, await answer.text())
}

/** An alert that ended. */
export const ended = (alert: object) => ({ ...alert, endsAt: new Date(Date.now() - 1_000).toISOString() })
