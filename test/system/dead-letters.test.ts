import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { twoChannels } from '../harness/providers.ts'
import { admin, post, SECRET } from '../harness/requests.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

interface Deliveries {
  readonly deliveries: readonly unknown[]
}

test('a resent incident goes to every channel once more', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  const id = (await post(system.url, { ServiceName: 'ledger' })).headers.get('x-incident-id')
  const sent = () => admin<Deliveries>(system.url, '/api/admin/deliveries?state=sent')
  await until(sent, ({ deliveries }) => deliveries.length === 2)
  assert.equal((await ask(system.url, `/api/admin/incidents/${id}/resend`)).status, 200)
  for (const provider of [chat, flow]) await provider.waitFor(() => provider.requests.length === 2)
  assert.equal((await ask(system.url, '/api/admin/incidents/unknown/resend')).status, 404)
})

test('unknown filters are refused with the names that exist', async (t) => {
  const system = await startTestSystem(t, configFile(folder()))
  for (const path of [
    'incidents?sevrity=high',
    'incidents?status=loud',
    'deliveries?state=lost',
    'incidents?limit=0',
  ]) {
    const answer = await fetch(`${system.url}/api/admin/${path}`, { headers: { 'X-Gateway-Secret': SECRET } })
    assert.equal(answer.status, 400, path)
  }
  assert.equal((await ask(system.url, '/api/admin/deliveries/replay', { state: 'sent' })).status, 400)
})

function ask(url: string, path: string, body: unknown = {}): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'X-Gateway-Secret': SECRET }
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}
