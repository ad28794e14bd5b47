import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dispatch, Page } from '../../../src/domain/delivery/dispatch.ts'
import { claimPages, DUE, POLICY, paging, settle } from '../paging.ts'
import { draft, START, StoreRig } from '../support.ts'

test('a firing incident arms a timer in its own commit, and the page is claimed when it is due', (t) => {
  const rig = paging(t)
  const id = rig.spill({ fingerprint: 'f' })
  assert.equal(rig.store.outbox.nextDueAt('oncall'), DUE)
  rig.now = DUE - 1
  assert.deepEqual(claimPages(rig), [])
  rig.now = DUE
  const [page] = claimPages(rig)
  assert.deepEqual(
    [page?.id, page?.signal, page?.fingerprint, page?.dueAt, page?.attempt, page?.mayDuplicate],
    [id, 'trigger', 'f', DUE, 1, false],
  )
  assert.deepEqual(claimPages(rig), [])
  assert.equal(rig.store.outbox.nextDueAt('oncall'), Infinity)
})

test('status, source, severity and the request decide whether an incident pages', (t) => {
  const rig = paging(t)
  const waits = (changes: object, overrides = {}) => {
    const one = draft(changes)
    const { oncall } = rig.commit({ drafts: [one], overrides })
    const due = rig.detail(one.id).oncall?.due_at
    assert.equal(oncall.length, due === undefined ? 0 : 1)
    return due === undefined ? undefined : Date.parse(due) - START
  }
  assert.equal(waits({}), 60_000)
  assert.equal(waits({ status: 'resolved' }), undefined)
  assert.equal(waits({}, { oncallEnable: false, oncallWaitMinutes: 0 }), undefined)
  assert.equal(waits({}, { oncallWaitMinutes: 0 }), 0)
  assert.equal(waits({}, { oncallWaitMinutes: 0.5 }), 30_000)
  const agent = (severity: string) => waits({ source: 'agent', severity })
  assert.deepEqual(['critical', 'high', 'medium', 'low', ''].map(agent), [
    60_000,
    60_000,
    undefined,
    undefined,
    undefined,
  ])
  rig.reopen({ oncall: { ...POLICY, enable: false } })
  assert.deepEqual([waits({}), waits({}, { oncallEnable: true })], [undefined, 60_000])
})

test('a message knows that its incident pages: at once, from disk, and after the page', (t) => {
  const rig = paging(t, { enable: false })
  const asked = { oncallEnable: true }
  const commit = (overrides: object, withRoom: readonly 'email'[] = []) =>
    rig.commit({ drafts: [draft()], overrides }, withRoom).dispatches
  const pagesOf = (dispatches: readonly Dispatch[]) =>
    dispatches.map((dispatch) => dispatch.kind === 'delivery' && dispatch.pages)
  assert.deepEqual(pagesOf(commit(asked, ['email'])), [true])
  assert.deepEqual(pagesOf(commit({}, ['email'])), [undefined])
  commit(asked)
  commit({})
  const fromDisk = rig.claim('email')
  assert.deepEqual(pagesOf(fromDisk), [true, undefined])

  rig.now = DUE
  for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
  for (const dispatch of fromDisk) rig.settle(dispatch, { state: 'pending', at: DUE })
  assert.deepEqual(pagesOf(rig.claim('email')), [true, undefined])
  rig.reopen({ oncall: { ...POLICY, enable: false } })
  rig.now += 3_600_000
  assert.deepEqual(pagesOf(rig.claim('email')), [true, undefined, true, undefined])
})

test('without a provider nothing is armed', (t) => {
  const rig = new StoreRig(t)
  const one = draft()
  rig.commit({ drafts: [one], overrides: { oncallEnable: true } })
  assert.equal(rig.detail(one.id).oncall, null)
})

test('a page that was taken is on record with its attempts and its delay', (t) => {
  const rig = paging(t)
  const id = rig.spill()
  rig.now = DUE + 5_000
  const [first] = claimPages(rig)
  assert.ok(first)
  settle(rig, first, { state: 'pending', at: DUE + 6_000 }, { detail: 'trigger: HTTP 500' })
  rig.now = DUE + 6_000
  const [second] = claimPages(rig)
  assert.equal(second?.attempt, 2)
  settle(rig, second as Page, { state: 'sent' })
  const { oncall, oncall_triggered, oncall_error, deliveries, stages } = rig.detail(id)
  assert.deepEqual([oncall_triggered, oncall_error], [true, null])
  assert.deepEqual([oncall?.state, oncall?.provider, oncall?.late_ms], ['paged', 'webhook', 6_000])
  assert.deepEqual(
    oncall?.attempts.map(({ number, outcome, detail }) => [number, outcome, detail]),
    [
      [1, 'retry', 'trigger: HTTP 500'],
      [2, 'sent', 'trigger'],
    ],
  )
  assert.deepEqual([deliveries[0]?.attempts, stages.first_attempt_at], [[], null])
})

test('a dead page is an error on the record', (t) => {
  const rig = paging(t, { waitMs: 0 })
  const id = rig.spill()
  const change = settle(rig, claimPages(rig)[0] as Page, { state: 'dead', reason: 'HTTP 400: no' })
  assert.deepEqual(change?.effects.at(-1), { kind: 'notice', signal: 'trigger', reason: 'HTTP 400: no' })
  const { oncall, oncall_triggered, oncall_error } = rig.detail(id)
  assert.deepEqual([oncall?.state, oncall_triggered, oncall_error], ['failed', false, 'HTTP 400: no'])
})

test('dead pages raise a notice once a minute until a person acknowledges the incident', (t) => {
  const rig = paging(t, { waitMs: 0 })
  const ids = [rig.spill(), rig.spill()]
  rig.finish('email')
  for (const page of claimPages(rig)) settle(rig, page, { state: 'dead', reason: 'HTTP 400: no' })
  const notices = () => rig.claimAll().dispatches.filter(({ kind }) => kind === 'notice')
  rig.now += 1_000
  const [notice, ...others] = notices()
  assert.deepEqual(notice?.kind === 'notice' && notice.notice, {
    kind: 'failures',
    about: 'oncall',
    dead: 2,
    reason: 'HTTP 400: no',
  })
  assert.deepEqual([notice?.destination, others], ['email', []])
  rig.settle(notice as Dispatch, { state: 'sent' })
  ids.push(rig.spill())
  rig.finish('email')
  settle(rig, claimPages(rig)[0] as Page, { state: 'dead', reason: 'HTTP 400: still no' })
  rig.now += 59_000
  assert.deepEqual(notices(), [])
  for (const id of ids) rig.store.operator.acknowledge(id, 'Ada')
  rig.now += 1_000
  assert.deepEqual(notices(), [])
})

test('an acknowledgement stops the timer, and a second one changes nothing', (t) => {
  const rig = paging(t)
  const id = rig.spill()
  const said = rig.store.operator.acknowledge(id, 'Ada')
  assert.equal(said.kind, 'acknowledged')
  assert.deepEqual(said.kind === 'acknowledged' && said.oncall, [
    { incident: 1, effects: [{ kind: 'announce', action: 'acknowledged' }], by: 'Ada' },
  ])
  rig.now = DUE + 1
  assert.equal(rig.store.operator.acknowledge(id, 'Bob').kind, 'already')
  assert.deepEqual(claimPages(rig), [])
  const { oncall, acked_by } = rig.detail(id)
  assert.deepEqual([oncall?.state, oncall?.next_signal, acked_by], ['acknowledged', null, 'Ada'])
})

test('an acknowledgement of an incident that does not page is announced too, once', (t) => {
  const rig = new StoreRig(t)
  const id = rig.spill()
  const announced = (action: string) => [{ incident: 1, effects: [{ kind: 'announce', action }], by: 'Ada' }]
  const said = rig.store.operator.acknowledge(id, 'Ada')
  assert.deepEqual(said.kind === 'acknowledged' && said.oncall, announced('acknowledged'))
  assert.deepEqual(rig.store.operator.resolve(id, 'Ada'), announced('resolved'))
})

test('a resolution stops the timer of its fingerprint, which stands for all its incidents, and no other', (t) => {
  const rig = paging(t)
  const [one, again, other] = ['f', 'f', 'g'].map((fingerprint) => rig.spill({ fingerprint }))
  const { oncall } = rig.commit({ drafts: [draft({ fingerprint: 'f', status: 'resolved' })] })
  assert.equal(oncall.length, 1)
  rig.now += 200
  rig.turn({})
  const states = [one, again, other].map((id) => rig.detail(id ?? '').oncall?.state)
  assert.deepEqual(states, ['resolved', 'resolved', 'armed'])
  assert.equal(rig.detail(one ?? '').resolved_at, new Date(START).toISOString())
  rig.store.operator.resolve(other ?? '', 'Ada')
  rig.now = DUE
  assert.deepEqual(claimPages(rig), [])
})

test('a provider that was paged gets the acknowledgement, then the resolution', (t) => {
  const rig = paging(t, { waitMs: 0 })
  const id = rig.spill({ fingerprint: 'f' })
  settle(rig, claimPages(rig)[0] as Page, { state: 'sent' })
  rig.store.operator.acknowledge(id, 'Ada')
  const [acknowledge] = claimPages(rig)
  assert.deepEqual([acknowledge?.signal, acknowledge?.by, acknowledge?.fingerprint], ['acknowledge', 'Ada', 'f'])
  settle(rig, acknowledge as Page, { state: 'sent' })
  rig.commit({ drafts: [draft({ fingerprint: 'f', status: 'resolved' })] })
  const [resolve] = claimPages(rig)
  assert.equal(resolve?.signal, 'resolve')
  settle(rig, resolve as Page, { state: 'sent' })
  assert.deepEqual(
    rig.detail(id).oncall?.attempts.map(({ number }) => number),
    [1, 2, 3],
  )
})

test('an acknowledgement while the page is in flight goes out once the page may have arrived', (t) => {
  const rig = paging(t, { waitMs: 0 })
  const ids = [rig.spill(), rig.spill()]
  const [arrived, missed] = claimPages(rig)
  for (const id of ids) rig.store.operator.acknowledge(id, 'Ada')
  settle(rig, arrived as Page, { state: 'pending', at: START + 10 }, { mayDuplicate: true })
  settle(rig, missed as Page, { state: 'pending', at: START + 10 })
  assert.deepEqual(
    claimPages(rig).map(({ id, signal }) => [id, signal]),
    [[ids[0], 'acknowledge']],
  )
})

test('a page that the provider took just after the acknowledgement is on record as made', (t) => {
  const rig = paging(t, { waitMs: 0 })
  const id = rig.spill()
  const [page] = claimPages(rig)
  rig.store.operator.acknowledge(id, 'Ada')
  settle(rig, page as Page, { state: 'sent' })
  const { oncall, oncall_triggered } = rig.detail(id)
  assert.deepEqual([oncall?.state, oncall_triggered, oncall?.next_signal], ['acknowledged', true, 'acknowledge'])
})
