import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import type { IncidentDetail } from '../../src/store/records.ts'
import { admin, configFile, folder, post, startTestSystem } from '../support/system.ts'

test('with no wait an incident pages at once, and the record says so', async (t) => {
  const { hook, system } = await paging(t, { wait_minutes: 0 })
  const id = await create(system.url, { ServiceName: 'ledger', severity: 'critical' })
  const { json } = await hook.waitFor(() => true)
  const { event, incident, dedup_key } = json as { event: string; incident: { id: string }; dedup_key: string }
  assert.deepEqual([event, incident.id], ['trigger', id])
  const detail = await eventually(system.url, id, ({ oncall_triggered }) => oncall_triggered)
  assert.equal(detail.oncall?.state, 'paged')
  assert.equal(detail.oncall?.dedup_key, dedup_key)
  assert.deepEqual(
    detail.oncall?.attempts.map(({ number, outcome, detail }) => [number, outcome, detail]),
    [[1, 'sent', 'trigger']],
  )
})

async function paging(t: TestContext, oncall: object) {
  const hook = await standIn(t, 'webhook')
  const file = configFile(folder(t), {
    public_host: 'http://127.0.0.1:9',
    oncall: { enable: true, provider: 'webhook', webhook: { url: `${hook.url}/page`, secret: 's3cret' }, ...oncall },
  })
  return { hook, system: await startTestSystem(t, file) }
}

async function standIn(t: TestContext, kind: 'webhook' | 'pagerduty'): Promise<Provider> {
  const provider = await startProvider(kind)
  t.after(() => provider.close())
  return provider
}

async function create(url: string, payload: object, query = ''): Promise<string> {
  const answer = await post(url, payload)
  assert.equal(answer.status, 201, query)
  return answer.headers.get('x-incident-id') ?? ''
}

async function eventually(url: string, id: string, is: (detail: IncidentDetail) => boolean): Promise<IncidentDetail> {
  for (;;) {
    const detail = (await admin(url, `/api/admin/incidents/${id}`)) as IncidentDetail
    if (is(detail)) return detail
  }
}
