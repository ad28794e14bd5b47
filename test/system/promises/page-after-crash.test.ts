import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { end, startProcess } from '../../harness/process.ts'
import { startStandIn } from '../../harness/providers.ts'
import { until } from '../../harness/until.ts'

test('kill -9 between commit and page, restart after the due time: the page goes out and is marked late', async (t) => {
  const pager = await startStandIn(t, 'webhook')
  const url = `${pager.url}/page`
  const oncall = { enable: true, wait_minutes: 0.1, provider: 'webhook', webhook: { url } }
  const file = configFile(folder(), { oncall, log: { level: 'info' } })
  const first = await startProcess(t, file)
  const id = (await post(first.url, { ServiceName: 'ledger', severity: 'critical' })).headers.get('x-incident-id')
  const detail = (url: string) => admin<IncidentDetail>(url, `/api/admin/incidents/${id}`)
  const applied = await until(
    () => detail(first.url),
    ({ oncall }) => (oncall ?? null) !== null,
  )
  const dueAt = Date.parse(applied.oncall?.due_at ?? '')
  await end(first.child)
  assert.equal(pager.requests.length, 0)
  // A page that is at most a second late counts as punctual.
  await until(Date.now, (now) => now > dueAt + 1_000)
  const second = await startProcess(t, file)
  const page = (await pager.waitFor(() => true)).json as PageBody
  assert.equal(page.incident.id, id)
  assert.ok(page.late_ms > 0)
  const { oncall: record } = await until(
    () => detail(second.url),
    ({ oncall_triggered }) => oncall_triggered,
  )
  assert.equal(record?.dedup_key, page.dedup_key)
  assert.ok((record?.late_ms ?? 0) > 0)
})

interface PageBody {
  readonly dedup_key: string
  readonly late_ms: number
  readonly incident: { readonly id: string }
}
