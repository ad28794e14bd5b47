import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dispatch } from '../../../src/domain/commit.ts'
import type { Page } from '../../../src/domain/oncall.ts'
import { claimPages, DUE, POLICY, paging, settle } from '../paging.ts'
import { Bench, draft, START } from '../support.ts'

test('a firing incident arms a timer in its own commit, and the page is claimed when it is due', (t) => {
  const bench = paging(t)
  const id = bench.spill({ fingerprint: 'f' })
  assert.equal(bench.store.oncall.nextDueAt(), DUE)
  bench.now = DUE - 1
  assert.deepEqual(claimPages(bench), [])
  bench.now = DUE
  const [page] = claimPages(bench)
  assert.deepEqual(
    [page?.id, page?.signal, page?.fingerprint, page?.dueAt, page?.attempt, page?.mayDuplicate],
    [id, 'trigger', 'f', DUE, 1, false],
  )
  assert.deepEqual(claimPages(bench), [])
  assert.equal(bench.store.oncall.nextDueAt(), undefined)
})

test('status, source, severity and the request decide whether an incident pages', (t) => {
  const bench = paging(t)
  const waits = (changes: object, overrides = {}) => {
    const one = draft(changes)
    const { oncall } = bench.commit({ drafts: [one], overrides })
    const due = bench.detail(one.id).oncall?.due_at
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
  bench.reopen({ oncall: { ...POLICY, enable: false } })
  assert.deepEqual([waits({}), waits({}, { oncallEnable: true })], [undefined, 60_000])
})

test('without a provider nothing is armed', (t) => {
  const bench = new Bench(t)
  const one = draft()
  bench.commit({ drafts: [one], overrides: { oncallEnable: true } })
  assert.equal(bench.detail(one.id).oncall, null)
})

test('a page that was taken is on record with its attempts and its delay', (t) => {
  const bench = paging(t)
  const id = bench.spill()
  bench.now = DUE + 5_000
  const [first] = claimPages(bench)
  assert.ok(first)
  settle(bench, first, { state: 'pending', at: DUE + 6_000 }, { detail: 'trigger: HTTP 500' })
  bench.now = DUE + 6_000
  const [second] = claimPages(bench)
  assert.equal(second?.attempt, 2)
  settle(bench, second as Page, { state: 'sent' })
  const { oncall, oncall_triggered, oncall_error, deliveries, stages } = bench.detail(id)
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
  const bench = paging(t, { waitMs: 0 })
  const id = bench.spill()
  const change = settle(bench, claimPages(bench)[0] as Page, { state: 'dead', reason: 'HTTP 400: no' })
  assert.deepEqual(change?.effects.at(-1), { kind: 'notice', signal: 'trigger', reason: 'HTTP 400: no' })
  const { oncall, oncall_triggered, oncall_error } = bench.detail(id)
  assert.deepEqual([oncall?.state, oncall_triggered, oncall_error], ['failed', false, 'HTTP 400: no'])
})

test('dead pages raise a notice once a minute until a person acknowledges the incident', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const ids = [bench.spill(), bench.spill()]
  bench.finish('email')
  for (const page of claimPages(bench)) settle(bench, page, { state: 'dead', reason: 'HTTP 400: no' })
  const notices = () => bench.store.write(() => bench.store.outbox.claimNotices(() => true)).dispatches
  bench.now += 1_000
  const [notice, ...others] = notices()
  assert.deepEqual(notice?.notice, { kind: 'failures', about: 'oncall', dead: 2, reason: 'HTTP 400: no' })
  assert.deepEqual([notice?.channel, others], ['email', []])
  bench.settle(notice as Dispatch, { state: 'sent' })
  ids.push(bench.spill())
  bench.finish('email')
  settle(bench, claimPages(bench)[0] as Page, { state: 'dead', reason: 'HTTP 400: still no' })
  bench.now += 59_000
  assert.deepEqual(notices(), [])
  for (const id of ids) bench.store.write(() => bench.store.operator.acknowledge(id, 'Ada'))
  bench.now += 1_000
  assert.deepEqual(notices(), [])
})

test('an acknowledgement stops the timer, and a second one changes nothing', (t) => {
  const bench = paging(t)
  const id = bench.spill()
  const said = bench.store.write(() => bench.store.operator.acknowledge(id, 'Ada'))
  assert.equal(said.kind, 'acknowledged')
  assert.deepEqual(said.kind === 'acknowledged' && said.oncall, [
    { incident: 1, effects: [{ kind: 'announce', action: 'acknowledged' }], by: 'Ada' },
  ])
  bench.now = DUE + 1
  assert.equal(bench.store.write(() => bench.store.operator.acknowledge(id, 'Bob')).kind, 'already')
  assert.deepEqual(claimPages(bench), [])
  const { oncall, acked_by } = bench.detail(id)
  assert.deepEqual([oncall?.state, oncall?.next_signal, acked_by], ['acknowledged', null, 'Ada'])
})

test('an acknowledgement of an incident that does not page is announced too, once', (t) => {
  const bench = new Bench(t)
  const id = bench.spill()
  const announced = (action: string) => [{ incident: 1, effects: [{ kind: 'announce', action }], by: 'Ada' }]
  const said = bench.store.write(() => bench.store.operator.acknowledge(id, 'Ada'))
  assert.deepEqual(said.kind === 'acknowledged' && said.oncall, announced('acknowledged'))
  assert.deepEqual(
    bench.store.write(() => bench.store.operator.resolve(id, 'Ada')),
    announced('resolved'),
  )
})

test('a resolution stops every timer of its fingerprint and no other', (t) => {
  const bench = paging(t)
  const [one, again, other] = ['f', 'f', 'g'].map((fingerprint) => bench.spill({ fingerprint }))
  const { oncall } = bench.commit({ drafts: [draft({ fingerprint: 'f', status: 'resolved' })] })
  assert.equal(oncall.length, 2)
  const states = [one, again, other].map((id) => bench.detail(id ?? '').oncall?.state)
  assert.deepEqual(states, ['resolved', 'resolved', 'armed'])
  assert.equal(bench.detail(one ?? '').resolved_at, new Date(START).toISOString())
  bench.store.write(() => bench.store.operator.resolve(other ?? '', 'Ada'))
  bench.now = DUE
  assert.deepEqual(claimPages(bench), [])
})

test('a provider that was paged gets the acknowledgement, then the resolution', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const id = bench.spill({ fingerprint: 'f' })
  settle(bench, claimPages(bench)[0] as Page, { state: 'sent' })
  bench.store.write(() => bench.store.operator.acknowledge(id, 'Ada'))
  const [acknowledge] = claimPages(bench)
  assert.deepEqual([acknowledge?.signal, acknowledge?.by, acknowledge?.fingerprint], ['acknowledge', 'Ada', 'f'])
  settle(bench, acknowledge as Page, { state: 'sent' })
  bench.commit({ drafts: [draft({ fingerprint: 'f', status: 'resolved' })] })
  const [resolve] = claimPages(bench)
  assert.equal(resolve?.signal, 'resolve')
  settle(bench, resolve as Page, { state: 'sent' })
  assert.deepEqual(
    bench.detail(id).oncall?.attempts.map(({ number }) => number),
    [1, 2, 3],
  )
})

test('an acknowledgement while the page is in flight goes out once the page may have arrived', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const ids = [bench.spill(), bench.spill()]
  const [arrived, missed] = claimPages(bench)
  for (const id of ids) bench.store.write(() => bench.store.operator.acknowledge(id, 'Ada'))
  settle(bench, arrived as Page, { state: 'pending', at: START + 10 }, { mayDuplicate: true })
  settle(bench, missed as Page, { state: 'pending', at: START + 10 })
  assert.deepEqual(
    claimPages(bench).map(({ id, signal }) => [id, signal]),
    [[ids[0], 'acknowledge']],
  )
})

test('a page that the provider took just after the acknowledgement is on record as made', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const id = bench.spill()
  const [page] = claimPages(bench)
  bench.store.write(() => bench.store.operator.acknowledge(id, 'Ada'))
  settle(bench, page as Page, { state: 'sent' })
  const { oncall, oncall_triggered } = bench.detail(id)
  assert.deepEqual([oncall?.state, oncall_triggered, oncall?.next_signal], ['acknowledged', true, 'acknowledge'])
})
