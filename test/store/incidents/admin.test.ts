import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryPage } from '../../../src/api/delivery.ts'
import { backlogOf, draft, START, StoreRig, withCode } from '../support.ts'

const UNKNOWN = '018f0000-0000-7000-8000-000000000000'

test('incidents are listed newest first, page by page', (t) => {
  const rig = new StoreRig(t)
  const ids = Array.from({ length: 5 }, () => rig.spill())
  const first = rig.store.incidents.list({ limit: 2 })
  const second = rig.store.incidents.list({ limit: 2, cursor: first.next_cursor ?? '' })
  rig.spill()
  const third = rig.store.incidents.list({ limit: 2, cursor: second.next_cursor ?? '' })
  const pages = [first, second, third]
  assert.deepEqual(
    pages.flatMap((page) => page.incidents.map(({ id }) => id)),
    ids.toReversed(),
  )
  assert.deepEqual(
    pages.map((page) => page.total),
    [5, 5, 6],
  )
  assert.equal(third.next_cursor, null)
  assert.throws(() => rig.store.incidents.list({ limit: 2, cursor: 'x' }), withCode('bad_parameter'))
})

test('filters apply together and to the total', (t) => {
  const rig = new StoreRig(t)
  const wanted = rig.spill({ status: 'resolved', severity: 'warning', service: 'db', source: 'agent' })
  rig.spill({ status: 'resolved', severity: 'warning', service: 'db' })
  rig.spill({ status: 'resolved', service: 'db', source: 'agent' })
  rig.spill({ severity: 'warning', service: 'db', source: 'agent' })
  const { incidents, total } = rig.store.incidents.list({
    limit: 10,
    status: 'resolved',
    severity: 'warning',
    service: 'db',
    source: 'agent',
    channel: 'email',
  })
  assert.deepEqual([incidents.map(({ id }) => id), total], [[wanted], 1])
  const { total: resolved, incidents: page, next_cursor } = rig.store.incidents.list({ limit: 2, status: 'resolved' })
  assert.deepEqual([resolved, page.length, next_cursor !== null], [3, 2, true])
  assert.equal(rig.store.incidents.list({ limit: 10, channel: 'console' }).total, 0)
})

test('deliveries are listed by state and channel, page by page', (t) => {
  const rig = new StoreRig(t)
  const ids = Array.from({ length: 3 }, () => rig.spill())
  rig.finish('chatws', { state: 'dead', reason: 'gone' })
  rig.finish('email')
  const dead = rig.store.incidents.deliveries({ state: 'dead', limit: 10 })
  assert.deepEqual(dead.deliveries[0], {
    incident_id: ids[2],
    title: rig.detail(ids[2] ?? '').title,
    channel: 'chatws',
    state: 'dead',
    attempts: 1,
    next_attempt_at: null,
    target: null,
    via: null,
    reason: null,
    may_duplicate: false,
    message_id: null,
    dead_reason: 'gone',
  })
  assert.equal(dead.deliveries.length, 3)
  assert.deepEqual(rig.store.incidents.deliveries({ state: 'dead', channel: 'email', limit: 10 }).deliveries, [])
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: DeliveryPage = rig.store.incidents.deliveries({
      limit: 4,
      ...(cursor && { cursor }),
    })
    seen.push(...page.deliveries.map((d) => `${d.incident_id} ${d.channel}`))
    cursor = page.next_cursor
  }
  assert.deepEqual(
    seen,
    ids.toReversed().flatMap((id) => [`${id} email`, `${id} chatws`]),
  )
})

test('a replay sends the dead of one channel again with fresh attempts, and the ledger goes on', (t) => {
  const rig = new StoreRig(t)
  const ids = [rig.spill(), rig.spill()]
  rig.finish('email')
  for (const dispatch of rig.claim('chatws')) rig.settle(dispatch, { state: 'pending', at: START })
  rig.finish('chatws', { state: 'dead', reason: 'gone' })
  assert.equal(rig.store.operator.replay({ state: 'dead', channel: 'email' }), 0)
  assert.equal(rig.store.operator.replay({ state: 'dead', channel: 'chatws', id: ids[1] ?? '' }), 1)
  assert.equal(rig.store.operator.replay({ state: 'dead' }), 1)
  assert.equal(rig.detail(ids[0] ?? '').notify_status, 'pending')
  assert.deepEqual(rig.claim('email'), [])
  for (const dispatch of rig.claim('chatws')) {
    assert.equal(dispatch.attempt, 1)
    rig.settle(dispatch, { state: 'sent' })
  }
  const { notify_status, notify_error, deliveries } = rig.detail(ids[0] ?? '')
  assert.deepEqual([notify_status, notify_error], ['sent', null])
  assert.deepEqual(
    deliveries[0]?.attempts.map(({ number, outcome }) => [number, outcome]),
    [
      [1, 'retry'],
      [2, 'failed'],
      [3, 'sent'],
    ],
  )
})

test('a replay leaves room in the backlog for new incidents', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], maxBacklog: 10 })
  rig.commit({ drafts: Array.from({ length: 10 }, () => draft()) })
  rig.finish('email', { state: 'dead', reason: 'gone' })
  assert.equal(rig.store.operator.replay({ state: 'dead' }), 5)
  assert.equal(rig.commit({ drafts: [draft()] }).result.kind, 'created')
})

test('a resend repeats finished deliveries on the channels enabled now, and leaves unfinished ones alone', (t) => {
  const rig = new StoreRig(t)
  const id = rig.spill()
  rig.finish('email')
  assert.equal(rig.store.operator.resend(id), true)
  assert.equal(rig.claim('email').length, 1)
  assert.equal(backlogOf(rig.store).chatws?.pending, 1)
  rig.reopen({ channels: ['email', 'console'] })
  rig.finish('email')
  assert.equal(rig.detail(id).notify_status, 'partial')
  assert.equal(rig.store.operator.resend(id), true)
  assert.deepEqual([rig.claim('email').length, rig.claim('console').length], [1, 1])
  assert.deepEqual(rig.detail(id).channels_enabled, ['chatws', 'email', 'console'])
  assert.equal(rig.store.operator.resend(UNKNOWN), false)
})

test('the first acknowledgement and resolution stay', (t) => {
  const rig = new StoreRig(t)
  const id = rig.spill()
  rig.store.operator.acknowledge(id, 'ada')
  rig.now += 1000
  rig.store.operator.acknowledge(id, 'bob')
  rig.store.operator.resolve(id, 'bob')
  const { acked_at, acked_by, resolved_at } = rig.detail(id)
  assert.deepEqual([acked_at, acked_by, resolved_at], ['2030-01-01T00:00:00.000Z', 'ada', '2030-01-01T00:00:01.000Z'])
  assert.deepEqual(
    [rig.store.operator.acknowledge(UNKNOWN, 'ada'), rig.store.operator.resolve(UNKNOWN, 'ada')],
    [{ kind: 'unknown' }, undefined],
  )
  assert.equal(rig.store.incidents.detail(UNKNOWN), undefined)
})
