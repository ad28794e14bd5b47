import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

/*
 * What people miss in the silences and windows of other gateways, one test for each that has none elsewhere. Elsewhere:
 * a problem that still fires at the end is told, what was told before may end, recurring windows over clock changes, the
 * account of what was held (silences.test.ts, scenario.test.ts); a cause that comes after its effect (while.test.ts).
 */

test('nothing is discarded: what a silence holds is stored with its payload, listed and found', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  const [first, second] = [rig.incident('disk'), rig.incident('disk', { title: 'disk again' })]
  while (rig.store.maintenance.index(100) > 0);
  const list = (filter: object) => rig.store.incidents.list({ limit: 10, ...filter }).incidents.map(({ id }) => id)
  assert.deepEqual(list({}), [second, first])
  assert.deepEqual(list({ told: 'silenced' }), [second, first])
  assert.deepEqual(list({ q: 'again' }), [second])
  assert.equal(typeof (rig.detail(first).content as { Logs: string }).Logs, 'string')
})

test('what was held is never counted as sent', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  const [older, newest] = [rig.incident('disk'), rig.incident('disk')]
  const over = rig.incident('cpu')
  rig.resolved('cpu')
  rig.at(2 * HOUR)
  assert.deepEqual(
    [older, over].map((id) => [rig.detail(id).notify_status, rig.states(id)]),
    [
      ['silenced', ['chatws silenced']],
      ['silenced', ['chatws silenced']],
    ],
  )
  assert.deepEqual([rig.detail(newest).notify_status, rig.states(newest)], ['sent', ['chatws sent']])
  assert.deepEqual(rig.detail(older).deliveries[0]?.attempts, [])
})

test('the resolution of what nobody was told of reaches nobody', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.incident('disk')
  rig.at(10 * MINUTE)
  rig.resolved('disk')
  rig.at(3 * HOUR)
  assert.deepEqual(
    [rig.told, rig.paged],
    [['chatws: 🔔 Silence "patches" (Anna) over: 2 alerts of 1 problem held, 1 resolved, 0 still firing'], []],
  )
})

test('a silence that held nothing says nothing', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.incident('cards', { service: 'payments', sender: 'cloud_alarm' })
  rig.at(2 * HOUR)
  assert.deepEqual(rig.told, ['chatws: cards'])
})

test('a long silence that holds something firing reminds once before its end', (t) => {
  const rig = new SilenceRig(t, [silenceOf({ endsAt: START + 3 * HOUR })])
  rig.incident('disk', { sender: 'cloud_alarm' })
  rig.at(2 * HOUR + 44 * MINUTE)
  assert.deepEqual(rig.told, [])
  for (const minutes of [45, 50, 59]) rig.at(2 * HOUR + minutes * MINUTE)
  assert.deepEqual(rig.takeTold().length, 1)
})

test('what is acknowledged inside a silence is told at its end, and wakes nobody', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  const id = rig.incident('disk', { sender: 'cloud_alarm' })
  rig.store.operator.acknowledge(id, 'Bea')
  rig.at(3 * HOUR)
  assert.deepEqual([rig.told.slice(1), rig.paged], [['chatws: disk'], []])
})

test('a problem that flaps inside a silence is told once at its end, as it is then', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  for (const nth of [1, 2, 3]) {
    rig.incident('disk', { title: `disk ${nth}` })
    rig.resolved('disk')
  }
  rig.incident('disk', { title: 'disk 4' })
  rig.at(HOUR)
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: disk 4'])
  rig.at(HOUR + 6 * MINUTE)
  assert.deepEqual(rig.paged, ['trigger disk 4'])
})

test('a forgotten silence shows when it last held something', (t) => {
  const rig = new SilenceRig(t, [silenceOf({ endsAt: START + 20 * 24 * HOUR })])
  rig.incident('disk', { sender: 'cloud_alarm' })
  rig.now = START + 10 * 24 * HOUR
  const [silence] = rig.store.silences.list({ limit: 10 }).silences
  assert.equal(silence?.last_held_at, new Date(START).toISOString())
})
