import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentPage } from '../../../src/api/incident.ts'
import type { HeartbeatList } from '../../../src/api/noise/heartbeat.ts'
import { postAlerts } from '../../harness/alerts.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

test('a heartbeat that is missing raises an incident, and the next sign of life resolves it', async (t) => {
  const heartbeats = [
    { name: 'nightly backup', match: { service: 'backup' }, every: '1s', grace: '1s', severity: 'high' },
  ]
  const { url } = await startTestSystem(t, configFile(folder(), { heartbeats }))
  const incidents = async () => (await admin<IncidentPage>(url, '/api/admin/incidents?source=heartbeat')).incidents
  const [missing] = await until(incidents, (found) => found.length === 1)
  assert.deepEqual(
    [missing?.title, missing?.service, missing?.severity, missing?.status, missing?.source],
    ['Heartbeat nightly backup is missing', 'nightly backup', 'high', 'firing', 'heartbeat'],
  )
  await post(url, { service: 'backup', title: 'backup done' })
  const [resolved] = await until(incidents, (found) => found.length === 2)
  assert.deepEqual([resolved?.title, resolved?.reported_status], ['Heartbeat nightly backup is back', 'resolved'])
  assert.equal(resolved?.fingerprint, missing?.fingerprint)
  const { heartbeats: listed } = await admin<HeartbeatList>(url, '/api/admin/heartbeats')
  assert.deepEqual([listed[0]?.name, listed[0]?.match], ['nightly backup', 'service backup'])
  assert.notEqual(listed[0]?.heard_at, null)
})

test('a Watchdog that Prometheus sends again and again is a sign of life, although it makes one incident', async (t) => {
  const match = { 'labels.alertname': 'Watchdog' }
  const heartbeats = [{ name: 'prometheus', match, every: '1s', grace: '2s' }]
  const { url } = await startTestSystem(t, configFile(folder(), { heartbeats }))
  const alert = { labels: { alertname: 'Watchdog', severity: 'none' }, forMs: 240_000 }
  const heardAt = async () => {
    await postAlerts(url, [alert])
    return (await admin<HeartbeatList>(url, '/api/admin/heartbeats')).heartbeats[0]?.heard_at ?? ''
  }
  const first = await until(heardAt, (at) => at !== '')
  await until(heardAt, (at) => Date.parse(at) > Date.parse(first) + 5_000)
  const { incidents } = await admin<IncidentPage>(url, '/api/admin/incidents')
  assert.deepEqual(
    incidents.map(({ source }) => source),
    ['alertmanager'],
  )
})
