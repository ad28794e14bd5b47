import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { recordingLoads } from '../../harness/loaded-files.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { end, startProcess } from '../../harness/process.ts'
import { startStandIn } from '../../harness/providers.ts'

/** Bundles hold files that nothing runs. */
const SOURCES = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))
/** `settings` and `local-time` are of the shape of the configuration. */
const OF_ONCALL =
  /\/src\/(policy|store)\/oncall\/(?!settings\.ts|local-time\.ts)|\/node_modules\/(temporal-polyfill|ical-generator)\//

/** Runs a service that pages, and returns what its threads loaded of on-call as code. */
async function loadedBy(t: TestContext, oncall: object): Promise<string[]> {
  const chat = await startStandIn(t, 'chatws')
  const hook = await startStandIn(t, 'webhook')
  const dir = folder()
  const config = configFile(dir, {
    public_host: 'https://tocsin.example.test',
    people: { ada: { name: 'Ada Lovelace', ways: [{ chatws: 'U0ADA00001' }] } },
    alert: { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST } },
    oncall: { enable: true, wait_minutes: 0, provider: 'webhook', webhook: { url: hook.url }, ...oncall },
    log: { level: 'info' },
  })
  const list = join(dir, 'loaded.txt')
  const { url, child } = await startProcess(t, config, recordingLoads(list), SOURCES)
  await post(url, { title: 'ledger is down', severity: 'critical' })
  await (oncall === OFF ? hook : chat).waitFor(({ body }) => body.includes('ledger'))
  for (const path of ['/api/admin/oncall', '/api/admin/oncall/runs', '/api/admin/problems']) await admin(url, path)
  await end(child, 'SIGTERM')
  const files = readFileSync(list, 'utf8').split('\n')
  assert.ok(files.some((file) => file.endsWith('/src/store/turn.ts')))
  return [...new Set(files.filter((file) => OF_ONCALL.test(file)))].sort()
}

const OFF = {}

test('without escalations and schedules no thread loads a file of them, nor their libraries', async (t) => {
  assert.deepEqual(await loadedBy(t, OFF), [])
})

test('an escalation loads them', async (t) => {
  const escalations = { office: { steps: [{ notify: ['person:ada'] }] } }
  const loaded = await loadedBy(t, { escalation: 'office', escalations })
  assert.ok(loaded.some((file) => file.endsWith('/src/store/oncall/runs.ts')))
})
