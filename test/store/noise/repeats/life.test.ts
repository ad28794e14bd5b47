import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../../src/domain/incident.ts'
import { draft } from '../../support.ts'
import { ALERT, FOLD, fire, given, HOUR, MINUTE, REMIND, repeat, resolve, send, stateOf, statesOf } from './rig.ts'

test('after a crash nothing is lost, told twice over, or counted wrong', (t) => {
  const rig = given(t)
  fire(rig)
  send(rig)
  const repeats = repeat(rig, 4)
  rig.reopen()
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 4)
  repeats.push(...repeat(rig, 2))
  assert.deepEqual(statesOf(rig, repeats), Array(6).fill('folded'))
  rig.now += MINUTE
  const [edit] = rig.claim('chatws')
  assert.equal(edit?.repeats?.count, 7)
  rig.reopen()
  const [again] = send(rig)
  assert.equal(again?.edits, edit?.edits)
  assert.equal(again?.mayDuplicate, false, 'an edit twice does no harm')
  assert.deepEqual(statesOf(rig, repeats), Array(6).fill('sent'))
})

test('a reload to and from `fold` takes what fires along', (t) => {
  const rig = given(t, { channels: ['email'], repeats: { mode: 'each', remindMs: REMIND } })
  fire(rig)
  fire(rig)
  assert.equal(send(rig, 'email').length, 2)
  rig.reopen({ repeats: FOLD })
  const folded = repeat(rig, 3)
  assert.deepEqual(statesOf(rig, folded), Array(3).fill('folded'))
  rig.reopen({ repeats: { mode: 'each', remindMs: REMIND } })
  const each = repeat(rig, 1)
  const sent = send(rig, 'email')
  assert.deepEqual(sent.map(({ kind }) => kind).sort(), ['delivery', 'digest'])
  assert.deepEqual(statesOf(rig, [...folded, ...each]), Array(4).fill('sent'))
  rig.now += 2 * REMIND
  assert.deepEqual(send(rig, 'email'), [])
})

test('repeats of a channel that is not enabled any more are skipped', (t) => {
  const rig = given(t, { channels: ['chatws', 'email'] })
  fire(rig)
  send(rig)
  send(rig, 'email')
  const [id = ''] = repeat(rig, 1)
  rig.reopen({ channels: ['chatws'] })
  rig.now += MINUTE
  send(rig)
  assert.deepEqual(
    rig.detail(id).deliveries.map(({ state }) => state),
    ['sent', 'skipped'],
  )
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})

test('an acknowledgement covers the repeats of four hours: they page nobody', (t) => {
  const rig = given(t, { oncall: { enable: true, waitMs: MINUTE, provider: 'webhook' } })
  const first = fire(rig)
  send(rig)
  rig.store.operator.acknowledge(first, 'Ada')
  const [covered = ''] = repeat(rig, 1)
  assert.equal(rig.detail(covered).oncall?.state, 'joined')
  rig.now += 3 * HOUR
  assert.equal(rig.detail(fire(rig, { severity: 'critical' })).oncall?.state, 'armed', 'louder is no repeat')
  rig.now += HOUR
  assert.equal(rig.detail(fire(rig, { severity: 'critical' })).oncall?.state, 'joined', 'the louder one is armed')
})

test('who acknowledges a problem again covers the repeats of another four hours, also where they are messages', (t) => {
  const rig = given(t, { ...PAGING, channels: ['email'], maxBacklog: 40 })
  rig.store.operator.acknowledge(fire(rig), 'Ada')
  send(rig, 'email')
  repeat(rig, 10)
  rig.now += 5 * HOUR
  const later = fire(rig)
  assert.equal(rig.detail(later).oncall?.state, 'armed')
  rig.store.operator.acknowledge(later, 'Bea')
  assert.equal(rig.detail(fire(rig)).oncall?.state, 'joined')
  rig.now += 3 * HOUR
  assert.equal(rig.detail(fire(rig)).oncall?.state, 'joined')
})

const PAGING = { oncall: { enable: true, waitMs: MINUTE, provider: 'webhook' } } as const

test('an acknowledgement covers four hours of elapsed time, however the clock is set', (t) => {
  for (const byMs of [-3 * HOUR, 3 * HOUR]) {
    const rig = given(t, PAGING)
    const first = fire(rig)
    send(rig)
    rig.store.operator.acknowledge(first, 'Ada')
    rig.now += HOUR + byMs
    rig.turn({ clockJumpMs: byMs })
    assert.equal(rig.detail(fire(rig)).oncall?.state, 'joined')
    rig.now += 3 * HOUR - 2
    assert.equal(rig.detail(fire(rig)).oncall?.state, 'joined')
    rig.now += MINUTE + 3
    assert.equal(rig.detail(fire(rig)).oncall?.state, 'armed')
  }
})

test('a clock that was set back before a restart lets an acknowledgement cover at most four hours after it', (t) => {
  const rig = given(t, PAGING)
  const first = fire(rig)
  send(rig)
  rig.store.operator.acknowledge(first, 'Ada')
  rig.now -= 20 * HOUR
  rig.reopen()
  rig.now += 4 * HOUR - 1
  assert.equal(rig.detail(fire(rig)).oncall?.state, 'joined')
  rig.now += MINUTE + 2
  assert.equal(rig.detail(fire(rig)).oncall?.state, 'armed')
})

test('in a storm a repeat is told by the digest, as are untold ones that are due or over', (t) => {
  const rig = given(t, { channels: ['email'] })
  fire(rig)
  send(rig, 'email')
  const repeats = repeat(rig, 3)
  const flood = Array.from({ length: 100 }, (_, n) =>
    draft({ fingerprint: `x${n}`, severity: 'info', createdAt: rig.now }),
  )
  rig.commit({ drafts: flood })
  const inStorm = fire(rig)
  const end = resolve(rig)
  const via = (id: string) => rig.detail(id).deliveries[0]?.via?.digest
  const digest = via(flood.at(-1)?.id ?? '')
  assert(digest)
  assert.equal(via(inStorm), digest)
  assert.equal(via(end), digest)
  for (const id of repeats) assert.equal(via(id), digest)
  for (let n = 0; n < 200; n++) {
    rig.now += 1_000
    send(rig, 'email')
  }
  assert.deepEqual(statesOf(rig, repeats), Array(3).fill('sent'))
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
  const { incidents, notified } = rig.store.noise.digest(digest) ?? {}
  assert.equal(incidents, notified)
})

test('above a quarter of the quota repeats are messages like any others', (t) => {
  const rig = given(t, { channels: ['email'], maxBacklog: 40 })
  fire(rig)
  send(rig, 'email')
  const repeats = repeat(rig, 12)
  assert.deepEqual(statesOf(rig, repeats).filter((state) => state === 'folded').length, 10)
  assert.equal(stateOf(rig, repeats[11] ?? ''), 'pending')
})

test('a clock that is set back holds nothing up for longer', (t) => {
  const rig = given(t)
  fire(rig)
  send(rig)
  const repeats = repeat(rig, 2)
  rig.turn({ clockJumpMs: -10 * HOUR })
  rig.now -= 10 * HOUR
  repeats.push(...repeat(rig, 1))
  rig.now += MINUTE
  send(rig)
  assert.deepEqual(statesOf(rig, repeats), Array(3).fill('sent'))
  repeats.push(...repeat(rig, 1))
  rig.now -= 10 * HOUR
  rig.reopen()
  rig.now += REMIND
  send(rig)
  assert.deepEqual(statesOf(rig, repeats), Array(4).fill('sent'))
})

test('a message is edited when retention has deleted its incident, and repeats are no storms', (t) => {
  const rig = given(t, { maxIncidents: 1 })
  const first = fire(rig)
  send(rig)
  const { message_id: id } = rig.detail(first).deliveries[0] ?? {}
  const repeats = repeat(rig, 3)
  rig.store.maintenance.prune(100)
  fire(rig, { fingerprint: 'other' })
  send(rig)
  rig.store.maintenance.prune(100)
  assert.equal(rig.store.incidents.detail(first), undefined)
  rig.now += MINUTE
  const [edit] = send(rig)
  assert.equal(edit?.edits, id)
  assert.equal(edit?.id, repeats.at(-1), 'it has the words of the latest incident')
  assert.equal(rig.store.noise.state().digests, 0)
})

test('a crash while told repeats are concluded, after a storm took over the rest, leaves none of them folded', (t) => {
  const rig = given(t, { channels: ['email'], maxIncidents: 10_000 })
  fire(rig)
  send(rig, 'email')
  const of = (count: number, changes: Partial<Draft>) =>
    Array.from({ length: count }, () => draft({ ...ALERT, createdAt: rig.now, ...changes }))
  const told = of(4_000, {})
  rig.commit({ drafts: told })
  rig.now += REMIND
  const [reminder] = rig.claim('email')
  assert(reminder)
  const untold = of(3, {})
  rig.commit({ drafts: untold })
  rig.settle(reminder, { state: 'sent' }, { startedAt: rig.now })
  const flood = Array.from({ length: 100 }, (_, n) => of(1, { fingerprint: `x${n}`, severity: 'info' })).flat()
  rig.commit({ drafts: [...flood, ...of(1, { status: 'resolved' })] })
  const all = [...told, ...untold].map(({ id }) => id)
  assert.ok(statesOf(rig, all).includes('folded'), 'not all is concluded')
  rig.reopen()
  for (let n = 0; n < 200; n++) {
    rig.now += 1_000
    send(rig, 'email')
  }
  assert.deepEqual(new Set(statesOf(rig, all)), new Set(['sent']))
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})
