import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyOf, type MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import { draft, START, StoreRig, settlement } from '../support.ts'

const numbers = (dispatches: readonly { incident: number }[]) => dispatches.map(({ incident }) => incident)

test('deliveries are claimed in order of commit, up to the number of slots', (t) => {
  const rig = new StoreRig(t)
  rig.commit({ drafts: [draft(), draft(), draft()] })
  assert.deepEqual(numbers(rig.claim('chatws', 2)), [1, 2])
  assert.deepEqual(numbers(rig.claim('chatws', 2)), [3])
  assert.deepEqual(rig.claim('chatws', 2), [])
  assert.deepEqual(numbers(rig.claim('email', 0)), [])
  assert.deepEqual(numbers(rig.claim('email', 9)), [1, 2, 3])
})

test('a claim stops at the byte limit, but the first delivery always goes', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const sizes = [400, 100, 150, 100]
  rig.commit({ drafts: sizes.map((size) => draft({ content: Buffer.from(`{"pad":"${'x'.repeat(size - 10)}"}`) })) })
  assert.deepEqual(numbers(rig.claim('email', 9, 300)), [1])
  assert.deepEqual(numbers(rig.claim('email', 9, 300)), [2, 3])
  assert.deepEqual(numbers(rig.claim('email', 9, 300)), [4])
})

test('a delivery claimed from disk carries all fields of the incident', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const one = draft({ source: 'topic', sender: 'cloud_alarm' })
  rig.commit({ drafts: [one], overrides: { targets: { email: 'night' } } })
  rig.now += 50
  const [dispatch] = rig.claim('email')
  assert.deepEqual(
    { ...dispatch, content: Buffer.from(dispatch?.content ?? []) },
    {
      ...one,
      kind: 'delivery',
      destination: 'email',
      code: 40,
      rank: 2,
      incident: 1,
      number: 0,
      problem: 1,
      attempt: 1,
      mayDuplicate: false,
      target: 'night',
      committedAt: START,
      dispatchedAt: START + 50,
    },
  )
})

test('a retry waits for its time, and its attempt is counted', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const id = rig.spill()
  const [first] = rig.claim('email')
  assert(first)
  assert.deepEqual(rig.settle(first, { state: 'pending', at: START + 1000 }, { mayDuplicate: true }), {
    kind: 'delivery',
    incidentId: id,
    title: first.title,
    severity: 'critical',
    target: null,
    createdAt: first.createdAt,
    attempts: 1,
    state: 'pending',
    silence: null,
    notifyStatus: 'pending',
  })
  assert.equal(rig.store.outbox.nextDueAt('email'), START + 1000)
  assert.deepEqual(rig.claim('email'), [])
  rig.now = START + 1000
  const [second] = rig.claim('email')
  assert.deepEqual([second?.attempt, second?.mayDuplicate], [2, true])
  assert.equal(rig.store.outbox.nextDueAt('email'), Infinity)
})

test('deferred deliveries are made due at once; those that were tried keep their time', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  rig.commit({ drafts: [draft(), draft()] })
  const [tried, parked] = rig.claim('email')
  assert(tried && parked)
  const later = { state: 'pending', at: START + 60_000 } as const
  rig.settle(tried, later)
  rig.turn({ settlements: [{ ...keyOf(parked), verdict: later }] })
  assert.deepEqual(rig.claim('email'), [])
  rig.store.outbox.makeDueNow()
  assert.deepEqual(numbers(rig.claim('email')), [2])
  assert.equal(rig.store.outbox.nextDueAt('email'), START + 60_000)
})

test('a clock that is set back holds up nothing that is due, and changes no wait for a retry', (t) => {
  const rig = new StoreRig(t)
  const ids = [rig.spill(), rig.spill(), rig.spill()]
  const [tried, lost] = rig.claim('chatws', 2)
  assert(tried && lost)
  rig.settle(tried, { state: 'pending', at: rig.now + 60_000 })
  rig.now -= 5 * 3_600_000
  rig.turn({ clockJumpMs: -5 * 3_600_000, sendersLost: true })
  assert.deepEqual(
    rig.claim('chatws').map(({ id }) => id),
    ids.slice(1),
  )
  assert.equal(rig.store.outbox.nextDueAt('chatws'), rig.now + 60_000)
  assert.equal(rig.claim('email').length, 3)
})

test('a released delivery keeps its position in the order and spends no attempt', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  rig.commit({ drafts: [draft(), draft(), draft()] })
  const [first, second] = rig.claim('email', 2)
  assert(first && second)
  rig.now += 10
  rig.settle(second, { state: 'released' })
  rig.settle(first, { state: 'released' })
  const again = rig.claim('email')
  assert.deepEqual(numbers(again), [1, 2, 3])
  assert.deepEqual(
    again.map(({ attempt, mayDuplicate }) => [attempt, mayDuplicate]),
    [1, 2, 3].map(() => [1, false]),
  )
})

test('an incident is sent, partial or failed by how its deliveries ended', (t) => {
  const rig = new StoreRig(t)
  const endings = [
    { chatws: 'sent', email: 'sent', status: 'sent', notified: ['chatws', 'email'], error: null },
    { chatws: 'dead', email: 'sent', status: 'partial', notified: ['email'], error: 'chatws: is_archived' },
    { chatws: 'dead', email: 'dead', status: 'failed', notified: [], error: 'chatws: is_archived; email: is_archived' },
  ] as const
  for (const ending of endings) {
    const id = rig.spill()
    const statuses = (['chatws', 'email'] as const).map((channel) => {
      const [dispatch] = rig.claim(channel)
      assert(dispatch)
      const verdict = ending[channel] === 'sent' ? { state: 'sent' } : { state: 'dead', reason: 'is_archived' }
      const settled = rig.settle(dispatch, verdict as { state: 'sent' })
      return settled?.kind === 'delivery' && settled.notifyStatus
    })
    assert.deepEqual(statuses, ['pending', ending.status])
    const { notify_status, channels_notified, notify_error } = rig.detail(id)
    assert.deepEqual([notify_status, channels_notified, notify_error], [ending.status, ending.notified, ending.error])
  }
})

test('the ledger keeps every attempt, and the text that was sent', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const id = rig.spill()
  for (const dispatch of rig.claim('email')) rig.settle(dispatch, { state: 'pending', at: START }, { connectedMs: 4 })
  for (const dispatch of rig.claim('email'))
    rig.settle(
      dispatch,
      { state: 'sent' },
      { startedAt: START + 500, messageId: 'm1', renderFailure: 'line 3: no such helper' },
    )
  const { deliveries, stages } = rig.detail(id)
  const common = {
    duration_ms: 20,
    may_duplicate: false,
    committed_at: '2030-01-01T00:00:00.000Z',
    handed_out_at: '2030-01-01T00:00:00.090Z',
    render_ms: 1.5,
    limiter_wait_ms: 0,
    confirmed_ms: 20,
  }
  assert.deepEqual(deliveries, [
    {
      channel: 'email',
      state: 'sent',
      next_attempt_at: null,
      target: null,
      may_duplicate: false,
      message_id: 'm1',
      dead_reason: null,
      via: null,
      reason: null,
      text: 'text of 1 for email',
      attempts: [
        {
          number: 1,
          started_at: '2030-01-01T00:00:00.100Z',
          outcome: 'retry',
          detail: 'the provider said retry',
          ...common,
          queued_ms: 8.5,
          connected_ms: 4,
          message_id: null,
          render_fault: null,
        },
        {
          number: 2,
          started_at: '2030-01-01T00:00:00.500Z',
          outcome: 'sent',
          detail: 'the provider said sent',
          ...common,
          queued_ms: 408.5,
          connected_ms: null,
          message_id: 'm1',
          render_fault: 'line 3: no such helper',
        },
      ],
    },
  ])
  assert.equal(stages.first_attempt_at, '2030-01-01T00:00:00.100Z')
  assert.equal(stages.notified_at, '2030-01-01T00:00:00.520Z')
})

test('a settlement of a delivery that is not leased is counted and changes nothing', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const id = rig.spill()
  const [dispatch] = rig.claim('email')
  assert(dispatch)
  rig.settle(dispatch, { state: 'sent' })
  const before = rig.detail(id)
  assert.equal(rig.settle(dispatch, { state: 'dead', reason: 'late' }), undefined)
  assert.equal(rig.settle({ ...dispatch, incident: 99 }, { state: 'sent' }), undefined)
  assert.equal(rig.settle({ ...dispatch, destination: 'chatws' }, { state: 'released' }), undefined)
  assert.deepEqual(rig.detail(id), before)
  assert.equal(rig.store.status.counters().unknownSettlements, 3)
})

test('a resolution is dispatched as a reply to the firing message at its destination', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws'] })
  const fingerprint = 'grouped:disk'
  const commit = (status: 'firing' | 'resolved', target?: string) =>
    rig
      .commit(
        { drafts: [draft({ fingerprint, status })], ...(target ? { overrides: { targets: { chatws: target } } } : {}) },
        ['chatws'],
      )
      .dispatches.find((each): each is MessageDispatch => each.kind === 'delivery')
  for (const [target, messageId] of [
    [undefined, 'm1'],
    [undefined, 'm2'],
    ['night', 'm3'],
  ] as const) {
    const dispatch = commit('firing', target)
    assert(dispatch && dispatch.inReplyTo === undefined)
    rig.settle(dispatch, { state: 'sent' }, { messageId })
  }
  const resolved = commit('resolved')
  assert.equal(resolved?.inReplyTo, 'm2')
  assert.equal(commit('resolved', 'night')?.inReplyTo, 'm3')
  assert.equal(commit('resolved', 'elsewhere')?.inReplyTo, undefined)
  rig.settle(resolved, { state: 'sent' }, { messageId: 'm4' })
  rig.commit({ drafts: [draft({ fingerprint, status: 'resolved' })] })
  assert.equal(rig.claim('chatws')[0]?.inReplyTo, 'm2')
})

test('deliveries that a dead sender held are pending again and may duplicate', (t) => {
  const rig = new StoreRig(t)
  rig.commit({ drafts: [draft(), draft()] }, ['chatws', 'email'])
  rig.turn({ sendersLost: true })
  assert.deepEqual(
    rig.claim('email').map(({ incident, attempt, mayDuplicate }) => [incident, attempt, mayDuplicate]),
    [
      [1, 1, true],
      [2, 1, true],
    ],
  )
  assert.equal(rig.claim('chatws').length, 2)
})

test('many settlements are one transaction', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const { dispatches } = rig.commit({ drafts: Array.from({ length: 50 }, () => draft()) }, ['email'])
  rig.turn({ settlements: dispatches.map((dispatch) => settlement(dispatch, { state: 'sent' })) })
  assert.equal(rig.store.status.counters().finishedIncidents, 50)
})
