import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, operate, post } from '../../harness/net/requests.ts'
import { twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

interface Deliveries {
  readonly deliveries: readonly {
    readonly incident_id: string
    readonly channel: string
    readonly dead_reason: string
  }[]
}

test('dead deliveries are listed with their reason, reported through a channel that works, and replayed on request', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  chat.script = () => ({ body: { ok: false, error: 'is_archived' } })
  const { url } = await startTestSystem(t, configFile(folder(), { alert }))
  const ids: (string | null)[] = []
  for (const name of ['first', 'second'])
    ids.push((await post(url, { ServiceName: `${name}-letter` })).headers.get('x-incident-id'))
  const listDead = async () => (await admin<Deliveries>(url, '/api/admin/deliveries?state=dead')).deliveries
  const dead = await until(listDead, ({ length }) => length === 2)
  assert.deepEqual(dead.map(({ incident_id }) => incident_id).sort(), ids.sort())
  for (const { channel, dead_reason } of dead) {
    assert.equal(channel, 'chatws')
    assert.match(dead_reason, /is_archived/)
  }
  const notice = await flow.waitFor(({ text }) => /deliver(y|ies) on chatws (is|are) dead/.test(text))
  assert.match(notice.text, /is_archived/)

  const sentBefore = chat.requests.length
  chat.script = undefined
  const replayed = await operate(`${url}/api/admin/deliveries/replay`, { state: 'dead', channel: 'chatws', id: ids[0] })
  assert.deepEqual(await replayed.json(), { replayed: 1 })
  await chat.waitFor((request) => chat.requests.indexOf(request) >= sentBefore)
  await until(listDead, ({ length }) => length === 1)
})
