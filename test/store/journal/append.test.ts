import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backlogOf, commitAndApply, draft, START, StoreRig, withCode } from '../support.ts'

test('a committed incident is read back with every field', (t) => {
  const rig = new StoreRig(t)
  const one = draft({ content: Buffer.from('{"nested":{"list":[1,"two",null]}}') })
  assert.deepEqual(rig.commit({ drafts: [one] }), { result: { kind: 'created' }, dispatches: [], oncall: [] })
  const { deliveries, ...rest } = rig.detail(one.id)
  assert.deepEqual(rest, {
    id: one.id,
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
    channels_enabled: ['chatws', 'email'],
    channels_notified: [],
    notify_status: 'pending',
    notify_error: null,
    oncall_triggered: false,
    oncall_error: null,
    content: { nested: { list: [1, 'two', null] } },
    topic: null,
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
      content: new Uint8Array(one.content),
      incident: 1,
      kind: 'delivery',
      destination: 'email',
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
  const rig = new StoreRig(t)
  rig.spill()
  assert.deepEqual(rig.commit({ drafts: [draft()] }, ['chatws', 'email']).dispatches, [])
  assert.deepEqual(
    rig.claim('chatws').map((dispatch) => dispatch.incident),
    [1, 2],
  )
  assert.equal(rig.commit({ drafts: [draft()] }, ['chatws', 'email']).dispatches.length, 1)
})

test('a retry that is not due does not hold new incidents back', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  rig.spill()
  for (const dispatch of rig.claim('email')) rig.settle(dispatch, { state: 'pending', at: START + 1000 })
  assert.equal(rig.commit({ drafts: [draft()] }, ['email']).dispatches.length, 1)
  rig.now = START + 1000
  assert.equal(rig.commit({ drafts: [draft()] }, ['email']).dispatches.length, 0)
  assert.deepEqual(
    rig.claim('email').map((dispatch) => dispatch.incident),
    [1, 3],
  )
})

test('a submission that does not fit the backlog is refused whole', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], maxBacklog: 5 })
  rig.commit({ drafts: [draft(), draft(), draft()] }, ['email'])
  const refused = { result: { kind: 'refused', code: 'backlog_full' }, dispatches: [], oncall: [] }
  assert.deepEqual(rig.commit({ drafts: [draft(), draft(), draft()], key: 'k' }), refused)
  assert.equal(rig.store.incidents.list({ limit: 10 }).total, 3)
  rig.commit({ drafts: [draft(), draft()] })
  assert.deepEqual(rig.commit({ drafts: [draft()] }), refused)
  rig.finish('email')
  assert.equal(rig.commit({ drafts: [draft(), draft()], key: 'k' }).result.kind, 'created')
})

test('a submission larger than the whole quota passes while the backlog is empty', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], maxBacklog: 2 })
  assert.equal(rig.commit({ drafts: [draft(), draft(), draft()] }).result.kind, 'created')
})

test('a repeated key commits nothing for 24 hours, also after a restart and in the same transaction', (t) => {
  const rig = new StoreRig(t)
  const [first, second] = [draft(), draft()]
  const results = rig.store.write(() =>
    [first, second].map((one) => commitAndApply(rig.store, { drafts: [one, draft()], key: 'k' }, () => true)),
  )
  assert.deepEqual(results[1], { result: { kind: 'duplicate', id: first.id }, dispatches: [], oncall: [] })
  rig.reopen()
  rig.now += 24 * 3_600_000 - 1
  assert.deepEqual(rig.commit({ drafts: [draft()], key: 'k' }).result, { kind: 'duplicate', id: first.id })
  rig.now += 1
  const later = draft()
  assert.equal(rig.commit({ drafts: [later], key: 'k' }).result.kind, 'created')
  assert.deepEqual(rig.commit({ drafts: [draft()], key: 'k' }).result, { kind: 'duplicate', id: later.id })
})

test('a repeated key is answered as duplicate even when the backlog is full', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], maxBacklog: 1 })
  const one = draft()
  rig.commit({ drafts: [one], key: 'k' })
  assert.deepEqual(rig.commit({ drafts: [draft()], key: 'k' }).result, { kind: 'duplicate', id: one.id })
})

test('the same incident submitted again after its commit is stored and delivered once', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const [one, other] = [draft(), draft()]
  rig.commit({ drafts: [one] })
  assert.deepEqual(rig.commit({ drafts: [one, other] }).result, { kind: 'created' })
  assert.equal(rig.store.incidents.list({ limit: 10 }).total, 2)
  assert.deepEqual(
    rig.claim('email').map(({ id }) => id),
    [one.id, other.id],
  )
})

test('when the work throws, the transaction is undone in memory too', (t) => {
  const rig = new StoreRig(t)
  rig.spill()
  const before = [rig.store.status.counters(), backlogOf(rig.store), rig.store.outbox.nextDueAt('email')]
  const fault = new Error('a fault of the caller')
  const work = () => {
    commitAndApply(rig.store, { drafts: [draft()], key: 'k' }, () => true)
    rig.store.outbox.claim(new Map([['email', { slots: 10, maxBytes: 1e6 }]]))
    throw fault
  }
  assert.throws(() => rig.store.write(work), fault)
  assert.deepEqual([rig.store.status.counters(), backlogOf(rig.store), rig.store.outbox.nextDueAt('email')], before)
  assert.equal(rig.commit({ drafts: [draft()], key: 'k' }).result.kind, 'created')
  assert.equal(rig.claim('email').length, 2)
})

test('a write inside a write is refused and leaves the outer one whole', (t) => {
  const rig = new StoreRig(t)
  rig.store.write(() => {
    commitAndApply(rig.store, { drafts: [draft()] }, () => false)
    assert.throws(() => rig.store.write(() => {}), /inside another/)
  })
  assert.equal(rig.store.status.counters().incidents, 1)
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
    unappliedIncidents: 0,
    quarantinedIncidents: 0,
    finishedIncidents: 1,
    unfinishedDeliveries: 0,
    unknownSettlements: 0,
    unindexed: 1,
  })
})
