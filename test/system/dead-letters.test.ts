import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { operate } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'

test('unknown filters are refused with the names that exist', async (t) => {
  const system = await startTestSystem(t, configFile(folder()))
  for (const path of [
    'incidents?sevrity=high',
    'incidents?status=loud',
    'deliveries?state=lost',
    'incidents?limit=0',
  ]) {
    const answer = await operate(`${system.url}/api/admin/${path}`, undefined, 'GET')
    assert.equal(answer.status, 400, path)
  }
  assert.equal((await operate(`${system.url}/api/admin/deliveries/replay`, { state: 'sent' })).status, 400)
  assert.equal((await operate(`${system.url}/api/admin/deliveries/replay`, { state: 'dead', target: 1 })).status, 400)
  assert.equal((await operate(`${system.url}/api/admin/incidents/unknown/resend`)).status, 404)
})
