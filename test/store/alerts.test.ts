import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../src/domain/incident.ts'
import { draft, StoreRig } from './support.ts'

const VALID_MS = 240_000

/** An incident of the Alertmanager API. */
function alertDraft(name: string, status: Draft['status']): Draft {
  const alert = { labels: { alertname: name }, annotations: {}, startsAt: '2030-01-01T00:00:00.000Z', generatorURL: '' }
  const content = Buffer.from(JSON.stringify({ alerts: [alert], valid_ms: VALID_MS }))
  return draft({ source: 'alertmanager', sender: 'grouped_alerts', fingerprint: `f-${name}`, status, content })
}

const say = (rig: StoreRig, name: string, status: Draft['status']) => rig.commit({ drafts: [alertDraft(name, status)] })
const stored = ({ store }: StoreRig) =>
  store.alerts.page('').alerts.map(({ alert, validMs, isResolved }) => {
    const { alertname } = alert.labels as { alertname: string }
    return [alertname, validMs, isResolved]
  })

test('alerts that fire are kept with their incidents, and after these are gone', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 1 })
  say(rig, 'A', 'firing')
  say(rig, 'B', 'firing')
  say(rig, 'B', 'resolved')
  for (let more = 0; more < 10; more++) rig.commit({ drafts: [draft({ fingerprint: `other-${more}` })] })
  rig.store.maintenance.prune(1_000)
  rig.reopen()
  assert.deepEqual(stored(rig), [['A', VALID_MS, false]])
})

test('an alert whose problem a person resolved says so, until it fires again; at once, not when problems are written', (t) => {
  const rig = new StoreRig(t, { channels: [] })
  say(rig, 'A', 'firing')
  say(rig, 'A', 'resolved')
  say(rig, 'A', 'firing')
  assert.deepEqual(stored(rig), [['A', VALID_MS, false]])
  rig.store.problems.resolve(1, 'Ada')
  assert.deepEqual(stored(rig), [['A', VALID_MS, true]])
  say(rig, 'A', 'firing')
  assert.deepEqual(stored(rig), [['A', VALID_MS, false]])
})

test('quiet ends no problem of an alert', (t) => {
  const rig = new StoreRig(t, { channels: [] })
  say(rig, 'A', 'firing')
  rig.now += 1_000
  rig.turn({})
  rig.now += 30 * 86_400_000
  rig.turn({})
  rig.turn({})
  assert.deepEqual(
    rig.store.problems.list({ limit: 10 }).problems.map(({ state, ends_at }) => [state, ends_at]),
    [['firing', null]],
  )
})

test('an alert that returns is no late incident, whatever its times are', (t) => {
  const rig = new StoreRig(t, { channels: [] })
  say(rig, 'A', 'firing')
  rig.commit({ drafts: [{ ...alertDraft('A', 'resolved'), changedAt: rig.now + 60_000 }] })
  rig.commit({ drafts: [{ ...alertDraft('A', 'firing'), changedAt: rig.now - 60_000 }] })
  rig.turn({})
  rig.now += 1_000
  rig.turn({})
  assert.deepEqual(
    rig.store.problems.list({ limit: 10 }).problems.map(({ state }) => state),
    ['firing'],
  )
})
