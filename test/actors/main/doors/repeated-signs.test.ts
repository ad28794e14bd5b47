import assert from 'node:assert/strict'
import test from 'node:test'
import { openRepeatedSigns } from '../../../../actors/main/doors/repeated-signs.ts'
import { AlertRig, SECOND } from './alert-rig.ts'

const heartbeat = (name: string, alertname: string) => ({
  ...{ name, where: '', everyMs: 300_000, graceMs: 0, severity: 'critical', maxRunMs: 0 },
  conditions: [{ field: 'labels.alertname', values: [alertname], where: '' }],
})

test('a re-sent alert is a sign of life of the heartbeats that it fits, once a second', async () => {
  const rig = new AlertRig()
  const heard: string[] = []
  let heartbeats = [heartbeat('of site b', 'Watchdog'), heartbeat('of site c', 'Other')]
  const hear = openRepeatedSigns({
    clock: rig.clock,
    heartbeats: () => heartbeats,
    hear: (name) => heard.push(name),
  })
  await rig.post('10.0.0.1', { labels: { alertname: 'Watchdog' } }, { labels: { alertname: 'Disk' } })
  const entries = [...rig.alerts.table.entries.values()]
  for (let times = 0; times < 3; times++) hear(entries)
  assert.deepEqual(heard, ['of site b'])
  await rig.pass(SECOND)
  hear(entries)
  assert.deepEqual(heard, ['of site b', 'of site b'])
  heartbeats = [heartbeat('of disks', 'Disk')]
  hear(entries)
  assert.deepEqual(heard, ['of site b', 'of site b', 'of disks'])
  heartbeats = []
  hear(entries)
  assert.equal(heard.length, 3)
})
