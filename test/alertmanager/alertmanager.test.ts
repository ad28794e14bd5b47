import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { stringify } from 'yaml'
import { startProvider } from '../../src/simulator/index.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { freePort } from '../harness/port.ts'
import { startTestSystem } from '../harness/system.ts'

const BINARY = 'prometheus-alertmanager'

test('a real Alertmanager delivers an alert firing and resolved, and both arrive rendered', async (t) => {
  assert.equal(
    spawnSync(BINARY, ['--version']).status,
    0,
    `${BINARY} is missing: apt-get install prometheus-alertmanager`,
  )
  const dir = folder()
  const chat = await startProvider('chatws')
  const flow = await startProvider('officechat')
  t.after(() => Promise.all([chat.close(), flow.close()]))
  const rate = { per_second: 1000, burst: 1000 }
  const system = await startTestSystem(
    t,
    configFile(dir, {
      alert: {
        chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, rate },
        officechat: { enable: true, flow_url: `${flow.url}/flow?sig=test`, rate },
      },
    }),
  )
  const alertmanager = await startAlertmanager(t, dir, system.url)
  const labels = { alertname: 'ReplicaLagHigh', severity: 'critical', instance: 'ledger-2:9104' }
  const annotations = { summary: 'The replica of the ledger falls behind' }

  await postAlert(alertmanager, { labels, annotations })
  for (const provider of [chat, flow]) {
    const firing = await provider.waitFor(({ body }) => body.includes('ReplicaLagHigh'))
    assert.match(firing.body, /CRITICAL/i)
    assert.match(firing.body, /The replica of the ledger falls behind/)
  }

  await postAlert(alertmanager, { labels, annotations, endsAt: new Date(Date.now() - 1_000).toISOString() })
  for (const provider of [chat, flow]) {
    const resolved = await provider.waitFor(({ body }) => /resolved/i.test(body))
    assert.match(resolved.body, /ReplicaLagHigh/)
  }
})

async function startAlertmanager(t: TestContext, dir: string, url: string): Promise<string> {
  const port = await freePort()
  const file = join(dir, 'alertmanager.yml')
  writeFileSync(
    file,
    stringify({
      route: {
        receiver: 'tocsin',
        group_by: ['alertname'],
        group_wait: '0s',
        group_interval: '1s',
        repeat_interval: '1h',
      },
      receivers: [{ name: 'tocsin', webhook_configs: [{ url: `${url}/api/incidents`, send_resolved: true }] }],
    }),
  )
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
  await listening(child)
  return `http://127.0.0.1:${port}`
}

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const said: string[] = []
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
