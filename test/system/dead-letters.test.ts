import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { twoChannels } from '../harness/providers.ts'
import { admin, post, SECRET } from '../harness/requests.ts'
import { startTestSystem } from '../harness/system.ts'

interface Deliveries {
  readonly deliveries: readonly {
    readonly incident_id: string
    readonly channel: string
    readonly dead_reason: string
  }[]
}

test('dead letters are listed with their reason, replayed when asked, and the healthy channel hears nothing of it', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  chat.script = () => ({ body: { ok: false, error: 'not_in_channel' } })
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  const ids = []
  for (const name of ['first', 'second']) {
    const answer = await post(system.url, { ServiceName: `${name}-letter` })
    ids.push(answer.headers.get('x-incident-id'))
  }
  const dead = await listed(system.url, '?state=dead&channel=chatws', 2)
  assert.deepEqual(dead.deliveries.map(({ incident_id }) => incident_id).sort(), ids.sort())
  assert.match(dead.deliveries[0]?.dead_reason ?? '', /not_in_channel/)

  chat.script = undefined
  const refused = chat.requests.length
  const replayed = await ask(system.url, '/api/admin/deliveries/replay', {
    state: 'dead',
    channel: 'chatws',
    id: ids[0],
  })
  assert.deepEqual(await replayed.json(), { replayed: 1 })
  await chat.waitFor((request) => chat.requests.indexOf(request) >= refused)
  await listed(system.url, '?state=dead', 1)
  assert.equal(flow.requests.length, 2)
})

test('a resent incident goes to every channel once more', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  const id = (await post(system.url, { ServiceName: 'ledger' })).headers.get('x-incident-id')
  await listed(system.url, '?state=sent', 2)
  assert.equal((await ask(system.url, `/api/admin/incidents/${id}/resend`)).status, 200)
  for (const provider of [chat, flow]) await provider.waitFor(() => provider.requests.length === 2)
  assert.equal((await ask(system.url, '/api/admin/incidents/unknown/resend')).status, 404)
})

test('filters that nobody knows are refused with the names that exist', async (t) => {
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

/** Asks until so many are listed. */
async function listed(url: string, query: string, count: number): Promise<Deliveries> {
  for (;;) {
    const found = (await admin(url, `/api/admin/deliveries${query}`)) as Deliveries
    if (found.deliveries.length === count) return found
  }
}

function ask(url: string, path: string, body: unknown = {}): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'X-Gateway-Secret': SECRET }
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}
