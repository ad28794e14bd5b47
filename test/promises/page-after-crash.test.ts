import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { IncidentDetail } from '../../src/api/incident.ts'
import { startProvider } from '../../src/simulator/index.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { startProcess } from '../harness/process.ts'
import { admin, post } from '../harness/requests.ts'
import { until } from '../harness/until.ts'

test('kill -9 between commit and page: the page goes out after the restart, with how late it is', async (t) => {
  const pager = await startProvider('webhook')
  t.after(() => pager.close())
  const url = `${pager.url}/page`
  const oncall = { enable: true, wait_minutes: 0.02, provider: 'webhook', webhook: { url } }
  const file = configFile(folder(), { oncall, log: { level: 'info' } })
  const first = await startProcess(t, file)
  const id = (await post(first.url, { ServiceName: 'ledger', severity: 'critical' })).headers.get('x-incident-id')
  const exit = once(first.child, 'exit')
  first.child.kill('SIGKILL')
  await exit
  const second = await startProcess(t, file)
  const page = (await pager.waitFor(() => true)).json as { dedup_key: string; incident: { id: string } }
  assert.equal(page.incident.id, id)
  const { oncall: record } = await until(
    async () => (await admin(second.url, `/api/admin/incidents/${id}`)) as IncidentDetail,
    ({ oncall_triggered }) => oncall_triggered,
  )
  assert.equal(record?.dedup_key, page.dedup_key)
  assert.ok((record?.late_ms ?? -1) >= 0)
})
