import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ofProblem } from '../../../../src/policy/silences/of-problem.ts'
import type { SilenceSettings } from '../../../../src/policy/silences/settings.ts'
import { isoTime } from '../../../../src/text/iso-time.ts'
import { openDatabase } from '../../database.ts'
import { START } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

const untilResolved = (changes: Partial<SilenceSettings> = {}) =>
  silenceOf({ untilResolved: true, endsAt: START + 24 * HOUR, ...changes })

const first = (rig: SilenceRig) => rig.store.silences.list({ limit: 10 }).silences[0]
const keepers = (rig: SilenceRig) =>
  rig.store.silences.detail(first(rig)?.id ?? 0)?.causes.map(({ fingerprint }) => fingerprint)

/** A group of firing alerts. */
const group = (...services: readonly string[]) => ({
  ...{ sender: 'grouped_alerts' as const, service: services[0] ?? '' },
  content: Buffer.from(
    JSON.stringify({
      ...{ groupKey: 'g', status: 'firing' },
      alerts: services.map((service) => ({ status: 'firing', labels: { alertname: 'Disk', service } })),
    }),
  ),
})

test('a silence that is made because of a message that was sent lasts while its problem fires', (t) => {
  const rig = new SilenceRig(t)
  rig.incident('disk', group('db'))
  rig.deliver()
  const { silence } = rig.store.silences.add(untilResolved(), true)
  assert.deepEqual([silence.quiet_for, silence.quiet_ends_at, keepers(rig)], ['10m', null, ['disk']])
  rig.at(4 * HOUR)
  assert.equal(first(rig)?.state, 'active')
  rig.resolved('disk', { sender: 'grouped_alerts' })
  rig.at(4 * HOUR + 9 * MINUTE)
  assert.deepEqual([first(rig)?.state, first(rig)?.quiet_ends_at], ['active', isoTime(START + 4 * HOUR + 10 * MINUTE)])
  rig.at(4 * HOUR + 10 * MINUTE)
  assert.equal(first(rig)?.state, 'ended')
})

test('a silence that nothing keeps says when it will end', (t) => {
  const rig = new SilenceRig(t)
  const { silence } = rig.store.silences.add(untilResolved({ quietMs: 5 * MINUTE }), true)
  assert.deepEqual([silence.quiet_for, silence.quiet_ends_at], ['5m', isoTime(START + 5 * MINUTE)])
  rig.at(5 * MINUTE)
  assert.equal(first(rig)?.state, 'ended')
})

test('a silence of several problems lasts until all are quiet, and holds and follows those that begin later', (t) => {
  const rig = new SilenceRig(t, [untilResolved()])
  rig.incident('disk')
  rig.at(5 * MINUTE)
  rig.incident('cpu')
  rig.resolved('disk')
  rig.at(25 * MINUTE)
  assert.deepEqual([rig.takeTold(), keepers(rig)], [[], ['cpu']])
  rig.store.problems.resolve(2, 'Ada')
  rig.at(35 * MINUTE - 1)
  assert.equal(first(rig)?.state, 'active')
  rig.at(35 * MINUTE)
  assert.equal(first(rig)?.state, 'ended')
})

test('a problem that fires on with an incident that does not fit keeps the silence no more', (t) => {
  const rig = new SilenceRig(t, [untilResolved()])
  rig.incident('disk')
  rig.incident('disk', { service: 'web' })
  rig.at(10 * MINUTE)
  assert.equal(first(rig)?.state, 'ended')
})

test('a group keeps the silence while every alert of it that fires fits', (t) => {
  const conditions = [{ field: 'labels.service', values: ['db'], where: '' }]
  const rig = new SilenceRig(t, [untilResolved({ conditions })])
  rig.incident('g', group('db', 'db'))
  assert.deepEqual(keepers(rig), ['g'])
  rig.incident('g', group('db', 'web'))
  assert.deepEqual(keepers(rig), [])
})

test('a silence of one problem follows it alone, also when retention has deleted its incidents', (t) => {
  const rig = new SilenceRig(t, [], { maxIncidents: 1 })
  rig.incident('p*')
  rig.deliver()
  for (let n = 0; n < 4; n++) rig.resolved(`p${n}`)
  rig.incident('p0')
  rig.deliver()
  rig.store.maintenance.prune(100)
  rig.store.silences.add(untilResolved(ofProblem({ id: 1, fingerprint: 'p*', title: 'p' })), true)
  assert.deepEqual(keepers(rig), ['p*'])
  rig.reopen()
  rig.at(20 * MINUTE)
  assert.deepEqual([first(rig)?.state, keepers(rig)], ['active', ['p*']])
})

test('a silence of an earlier version that followed what it held goes on by its keepers', (t) => {
  const rig = new SilenceRig(t)
  rig.store.silences.add(untilResolved(), true)
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  db.exec('UPDATE silences SET quiet_at = NULL')
  db.close()
  rig.now += MINUTE
  rig.reopen()
  rig.turn({})
  assert.equal(first(rig)?.quiet_ends_at, isoTime(START + 11 * MINUTE))
})

test('a clock that was set back puts the end of a silence off by an hour at most', (t) => {
  const rig = new SilenceRig(t, [untilResolved()])
  for (let n = 0; n < 3; n++) {
    rig.incident('disk')
    rig.resolved('disk')
  }
  rig.incident('disk')
  rig.now -= 3 * HOUR
  rig.turn({ clockJumpMs: -3 * HOUR })
  rig.incident('disk', { service: 'web' })
  const end = isoTime(rig.now + 70 * MINUTE)
  assert.equal(first(rig)?.quiet_ends_at, end)
  rig.store.close()
  rig.now -= 3 * HOUR
  rig.reopen()
  rig.turn({})
  assert.equal(first(rig)?.quiet_ends_at, isoTime(rig.now + 70 * MINUTE))
  rig.now += 70 * MINUTE
  rig.turn({})
  assert.equal(first(rig)?.state, 'ended')
})

test('a silence until resolved can be made of one that ends at a time, and follows what fires then', (t) => {
  const rig = new SilenceRig(t)
  rig.incident('disk')
  rig.deliver()
  const { silence } = rig.store.silences.add(silenceOf(), true)
  rig.at(20 * MINUTE)
  rig.store.silences.change(silence.id, untilResolved())
  rig.turn({})
  assert.deepEqual([first(rig)?.until_resolved, first(rig)?.quiet_ends_at, keepers(rig)], [true, null, ['disk']])
})
