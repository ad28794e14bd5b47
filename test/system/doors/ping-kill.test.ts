import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentPage } from '../../../src/api/incident.ts'
import type { HeartbeatList } from '../../../src/api/noise/heartbeat.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin } from '../../harness/net/requests.ts'
import { end, startProcess } from '../../harness/process.ts'
import { until } from '../../harness/until.ts'

const KEY = 'ping-key-0123456789'
const UUID = '0f5a9b1e-1111-4222-8333-123456789abc'

/** A service that can be killed and started again on the same data. */
async function given(t: TestContext) {
  const heartbeats = [{ name: 'job', slug: 'job', uuid: UUID, every: '1d', max_run: '1h' }]
  const file = configFile(folder(), { log: { level: 'info' }, intake: { pings: { key: KEY } }, heartbeats })
  let service = await startProcess(t, file)
  return {
    async killed() {
      await end(service.child)
      service = await startProcess(t, file)
    },
    ping: async (signal: string, init: RequestInit = {}) =>
      (await fetch(`${service.url}/ping/${UUID}${signal}`, init)).status,
    heartbeat: async () => (await admin<HeartbeatList>(service.url, '/api/admin/heartbeats')).heartbeats[0],
    incidents: async () =>
      (await admin<IncidentPage>(service.url, '/api/admin/incidents?source=heartbeat')).incidents.map(
        ({ title, reported_status }) => `${reported_status}: ${title}`,
      ),
  }
}

test('a failure that was answered is raised once, killed at once and again', async (t) => {
  const { ping, killed, incidents } = await given(t)
  assert.equal(await ping('/9', { method: 'POST', body: 'disk full' }), 200)
  await killed()
  const firing = 'firing: Heartbeat job failed with 9'
  await until(incidents, (found) => found.length > 0)
  await killed()
  assert.equal(await ping(''), 200)
  await killed()
  const found = await until(incidents, ({ length }) => length > 1)
  assert.deepEqual(found, ['resolved: Heartbeat job is back', firing])
})

test('a run goes on behind a kill, and its time is measured', async (t) => {
  const { ping, killed, heartbeat, incidents } = await given(t)
  assert.equal(await ping('/start'), 200)
  const begun = await heartbeat()
  await killed()
  const again = await heartbeat()
  assert.deepEqual([again?.running_since, again?.state], [begun?.running_since, 'beating'])
  assert.equal(await ping('/0'), 200)
  await killed()
  const ended = await heartbeat()
  assert.equal(ended?.running_since, null)
  assert.ok((ended?.last_run_ms ?? 0) > 0)
  assert.deepEqual(await incidents(), [])
})
