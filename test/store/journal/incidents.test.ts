import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { test } from 'node:test'
import { ON_FILES } from '../database.ts'
import { backlogOf, draft, entriesFor, entryOf, roomAt, START, StoreRig, withCode } from '../support.ts'

test('a committed incident is read back with every field', (t) => {
  const rig = new StoreRig(t)
  const one = draft({ content: Buffer.from('{"nested":{"list":[1,"two",null]}}') })
  rig.commit({ drafts: [one] })
  const { deliveries, ...rest } = rig.detail(one.id)
  assert.deepEqual(rest, {
    id: one.id,
    applied: true,
    problem: 1,
    title: one.title,
    service: 'checkout',
    severity: 'critical',
    status: 'firing',
    reported_status: 'firing',
    source: 'webhook',
    sender: 'custom',
    fingerprint: one.fingerprint,
    created_at: new Date(START - 5).toISOString(),
    acked_at: null,
    acked_by: null,
    resolved_at: null,
    resolved_by: null,
    channels_enabled: ['chatws', 'email'],
    channels_notified: [],
    notify_status: 'pending',
    notify_error: null,
    oncall_triggered: false,
    oncall_error: null,
    silence: null,
    answers: [],
    content: { nested: { list: [1, 'two', null] } },
    topic: null,
    warnings: [],
    stages: {
      received_at: new Date(START - 5).toISOString(),
      committed_at: new Date(START).toISOString(),
      first_attempt_at: null,
      notified_at: null,
    },
    oncall: null,
  })
  assert.deepEqual(
    deliveries.map(({ channel, state, attempts }) => ({ channel, state, attempts })),
    [
      { channel: 'chatws', state: 'pending', attempts: [] },
      { channel: 'email', state: 'pending', attempts: [] },
    ],
  )
})

test('the envelope of a topic message is kept with its first incident', (t) => {
  const rig = new StoreRig(t)
  const drafts = [draft(), draft()] as const
  const origin = {
    message_id: 'm',
    topic_arn: 'arn',
    subject: null,
    published_at: null,
    attributes: { ['__proto__']: { type: 'String', value: 'v' } },
  }
  rig.commit({ drafts, origin })
  rig.reopen()
  assert.deepEqual(
    drafts.map(({ id }) => rig.detail(id).topic),
    [origin, null],
  )
})

test('a channel whose sender has a free slot is dispatched at once, with the bytes of the draft', (t) => {
  const rig = new StoreRig(t)
  const one = draft()
  const { dispatches } = rig.commit({ drafts: [one], overrides: { targets: { email: 'night' } } }, ['email'])
  assert.deepEqual(dispatches, [
    {
      ...one,
      content: one.content,
      kind: 'delivery',
      incident: 1,
      problem: 1,
      destination: 'email',
      code: 40,
      rank: 2,
      number: 0,
      attempt: 1,
      mayDuplicate: false,
      committedAt: START,
      dispatchedAt: START,
      target: 'night',
    },
  ])
  const { chatws, email } = backlogOf(rig.store)
  assert.deepEqual(
    { chatws, email },
    {
      chatws: { pending: 1, sending: 0, oldestPendingAt: START },
      email: { pending: 0, sending: 1, oldestPendingAt: undefined },
    },
  )
})

test('a new incident does not overtake one that waits for a slot', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  rig.spill()
  const commitWithOneSlot = () =>
    rig
      .turn({
        entries: entriesFor(rig.store, [{ drafts: [draft()] }]),
        capacity: new Map([['email', { slots: 1, maxBytes: 1e6 }]]),
      })
      .dispatches.map(({ incident }) => incident)
  assert.deepEqual([commitWithOneSlot(), commitWithOneSlot(), commitWithOneSlot()], [[1], [2], [3]])
})

test('a retry that is not due does not hold new incidents back', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const oneSlot = new Map([['email', { slots: 1, maxBytes: 1e6 }]] as const)
  const commit = () => rig.turn({ entries: entriesFor(rig.store, [{ drafts: [draft()] }], rig.now), capacity: oneSlot })
  rig.spill()
  for (const dispatch of rig.claim('email')) rig.settle(dispatch, { state: 'pending', at: START + 1000 })
  assert.deepEqual(
    commit().dispatches.map(({ incident }) => incident),
    [2],
  )
  rig.now = START + 1000
  assert.deepEqual(
    commit().dispatches.map(({ incident }) => incident),
    [1],
  )
})

test('a key is found for 24 hours after its commit, also after a restart', (t) => {
  const rig = new StoreRig(t)
  const [first, second] = [draft(), draft()]
  rig.turn({ entries: entriesFor(rig.store, [{ drafts: [first, draft()], key: 'k' }]) })
  rig.turn({ entries: entriesFor(rig.store, [{ drafts: [second], key: 'other' }, { drafts: [draft()] }]) })
  rig.reopen()
  rig.now += 24 * 3_600_000 - 1
  assert.deepEqual(rig.store.journal.findKeys(['k', 'unknown', 'other']), [first.id, null, second.id])
  rig.now += 1
  assert.deepEqual(rig.store.journal.findKeys(['k']), [null])
  const later = draft()
  rig.commit({ drafts: [later], key: 'k' })
  assert.deepEqual(rig.store.journal.findKeys(['k']), [later.id])
})

test('an entry that is applied twice, whole or in part, changes nothing the second time', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const drafts = [draft(), draft(), draft(), draft()] as const
  const [one, two, three, four] = drafts
  const once = entryOf(1, [{ drafts: [one, two], key: 'k' }])
  rig.turn({ entries: [once] })
  const state = () => [rig.store.status.counters(), backlogOf(rig.store), rig.store.journal.progress()]
  const before = state()
  assert.deepEqual(rig.turn({ entries: [once], capacity: new Map() }).drafts, [])
  assert.deepEqual(state(), before)
  const overlapping = entryOf(1, [{ drafts: [one, two, three], key: 'k' }, { drafts: [four] }])
  assert.deepEqual(rig.turn({ entries: [overlapping] }).drafts, [three, four])
  assert.deepEqual(
    rig.claim('email').map(({ id, content }) => [id, Buffer.from(content)]),
    drafts.map(({ id, content }) => [id, content]),
  )
  assert.deepEqual(rig.store.journal.findKeys(['k']), [one.id])
})

test('a gap between two entries is applied over', (t) => {
  const rig = new StoreRig(t)
  rig.spill()
  const behind = draft()
  const { applied } = rig.turn({ entries: [entryOf(7, [{ drafts: [behind] }])] })
  assert.deepEqual([applied, rig.detail(behind.id).title], [7, behind.title])
})

test('a turn that the disk refuses changes nothing, in memory either', ON_FILES, (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  rig.spill()
  const state = () => [rig.store.status.counters(), backlogOf(rig.store), rig.store.journal.progress()]
  const before = state()
  const path = `${rig.options.dataDir}/tocsin.db`
  renameSync(path, `${path}.away`)
  const turn = () =>
    rig.turn({
      entries: entriesFor(rig.store, [{ drafts: [draft({ title: 'later' })], key: 'k' }]),
      capacity: roomAt('email'),
    })
  assert.throws(turn, withCode('storage_down'))
  assert.deepEqual([state(), rig.store.journal.findKeys(['k'])], [before, [null]])
  renameSync(`${path}.away`, path)
  assert.equal(turn().dispatches.length, 2)
})

test('texts of any kind are stored as they are', (t) => {
  const rig = new StoreRig(t)
  const wild = `'; DROP TABLE incidents; -- "q" \\ 日本 🚨 %s ?1 :x`
  const one = draft({ title: wild, service: wild, fingerprint: wild, severity: wild })
  rig.commit({ drafts: [one], key: wild, overrides: { targets: { email: wild } } })
  const { title, service, fingerprint, deliveries } = rig.detail(one.id)
  assert.deepEqual([title, service, fingerprint, deliveries[1]?.target], [wild, wild, wild, wild])
  assert.equal(rig.store.incidents.list({ limit: 1, service: wild }).total, 1)
  assert.equal(rig.commit({ drafts: [draft()], key: wild }).result.kind, 'duplicate')
  assert.throws(() => rig.store.incidents.list({ limit: 1, cursor: '1 OR 1=1' }), withCode('bad_parameter'))
})

test('a NUL in a text is replaced and what follows it is kept', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const id = rig.spill({ title: 'before\0after', content: Buffer.from('{"log":"a\\u0000b"}') })
  for (const dispatch of rig.claim('email')) rig.settle(dispatch, { state: 'dead', reason: 'a\0b' }, { detail: 'c\0d' })
  const { title, content, notify_error, deliveries } = rig.detail(id)
  assert.deepEqual([title, content, notify_error], ['before\uFFFDafter', { log: 'a\0b' }, 'email: a\uFFFDb'])
  assert.equal(deliveries[0]?.attempts[0]?.detail, 'c\uFFFDd')
})

test('with no channel an incident is finished as soon as it is committed', (t) => {
  const rig = new StoreRig(t, { channels: [] })
  const id = rig.spill()
  assert.equal(rig.detail(id).notify_status, 'sent')
  assert.deepEqual(rig.store.status.counters(), {
    incidents: 1,
    quarantinedIncidents: 0,
    finishedIncidents: 1,
    unfinishedDeliveries: 0,
    unknownSettlements: 0,
    unindexed: 1,
  })
})
