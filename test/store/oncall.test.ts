import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Handout } from '../../src/domain/commit.ts'
import type { Attempt } from '../../src/domain/delivery.ts'
import type { OncallPolicy, Page, Told } from '../../src/domain/oncall.ts'
import { openStore } from '../../src/store/store.ts'
import { Bench, draft, START } from './support.ts'

const POLICY: OncallPolicy = { enable: true, waitMs: 60_000, provider: 'webhook' }
const DUE = START + 60_000

function paging(t: TestContext, policy: Partial<OncallPolicy> = {}) {
  return new Bench(t, { channels: ['email'], oncall: { ...POLICY, ...policy } })
}

const take = ({ store }: Bench, places = 100): Page[] => store.write(() => store.oncall.take(places))

function settle(
  { store }: Bench,
  { incident, attempt }: Page,
  verdict: Told['verdict'],
  changes: Partial<Attempt> = {},
) {
  const outcome = ({ sent: 'sent', pending: 'retry', dead: 'failed', returned: 'retry' } as const)[verdict.state]
  const times = { startedAt: START, durationMs: 20, renderMs: 0, limiterWaitMs: 0, handedOutAt: START }
  const made = { number: attempt, ...times, outcome, detail: 'trigger', mayDuplicate: false, ...changes }
  const told: Told = { incident, verdict, ...(verdict.state === 'returned' ? {} : { attempt: made }) }
  return store.write(() => store.oncall.settle(told))
}

test('a firing incident arms a timer in its own commit, and the page is handed out when it is due', (t) => {
  const bench = paging(t)
  const id = bench.spill({ fingerprint: 'f' })
  assert.equal(bench.store.oncall.nextDueAt(), DUE)
  bench.now = DUE - 1
  assert.deepEqual(take(bench), [])
  bench.now = DUE
  const [page] = take(bench)
  assert.deepEqual(
    [page?.id, page?.signal, page?.fingerprint, page?.dueAt, page?.attempt, page?.mayDuplicate],
    [id, 'trigger', 'f', DUE, 1, false],
  )
  assert.deepEqual(take(bench), [])
  assert.equal(bench.store.oncall.nextDueAt(), undefined)
})

test('who pages is decided by status, source and severity, and by what the request says', (t) => {
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

test('a page that was taken is on the record with its attempts and how late it was', (t) => {
  const bench = paging(t)
  const id = bench.spill()
  bench.now = DUE + 5_000
  const [first] = take(bench)
  assert.ok(first)
  settle(bench, first, { state: 'pending', at: DUE + 6_000 }, { detail: 'trigger: HTTP 500' })
  bench.now = DUE + 6_000
  const [second] = take(bench)
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

test('a page that nobody took is an error on the record', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const id = bench.spill()
  const change = settle(bench, take(bench)[0] as Page, { state: 'dead', reason: 'HTTP 400: no' })
  assert.deepEqual(change?.effects.at(-1), { kind: 'notice', signal: 'trigger', reason: 'HTTP 400: no' })
  const { oncall, oncall_triggered, oncall_error } = bench.detail(id)
  assert.deepEqual([oncall?.state, oncall_triggered, oncall_error], ['failed', false, 'HTTP 400: no'])
})

test('pages that nobody took are told through a channel, once a minute, until somebody takes the incident', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const ids = [bench.spill(), bench.spill()]
  bench.finish('email')
  for (const page of take(bench)) settle(bench, page, { state: 'dead', reason: 'HTTP 400: no' })
  const notices = () => bench.store.write(() => bench.store.takeNotices(() => true)).handouts
  bench.now += 1_000
  const [notice, ...others] = notices()
  assert.deepEqual(notice?.notice, { kind: 'failures', about: 'oncall', dead: 2, reason: 'HTTP 400: no' })
  assert.deepEqual([notice?.channel, others], ['email', []])
  bench.settle(notice as Handout, { state: 'sent' })
  ids.push(bench.spill())
  bench.finish('email')
  settle(bench, take(bench)[0] as Page, { state: 'dead', reason: 'HTTP 400: still no' })
  bench.now += 59_000
  assert.deepEqual(notices(), [])
  for (const id of ids) bench.store.write(() => bench.store.acknowledge(id, 'Ada'))
  bench.now += 1_000
  assert.deepEqual(notices(), [])
})

test('an acknowledgement stops the timer, and a second one changes nothing', (t) => {
  const bench = paging(t)
  const id = bench.spill()
  const said = bench.store.write(() => bench.store.acknowledge(id, 'Ada'))
  assert.equal(said.kind, 'acknowledged')
  assert.deepEqual(said.kind === 'acknowledged' && said.oncall, [
    { incident: 1, effects: [{ kind: 'announce', action: 'acknowledged' }], by: 'Ada' },
  ])
  bench.now = DUE + 1
  assert.equal(bench.store.write(() => bench.store.acknowledge(id, 'Bob')).kind, 'already')
  assert.deepEqual(take(bench), [])
  const { oncall, acked_by } = bench.detail(id)
  assert.deepEqual([oncall?.state, oncall?.next_signal, acked_by], ['acknowledged', null, 'Ada'])
})

test('what somebody says of an incident that pages nobody is announced too, once', (t) => {
  const bench = new Bench(t)
  const id = bench.spill()
  const announced = (action: string) => [{ incident: 1, effects: [{ kind: 'announce', action }], by: 'Ada' }]
  const said = bench.store.write(() => bench.store.acknowledge(id, 'Ada'))
  assert.deepEqual(said.kind === 'acknowledged' && said.oncall, announced('acknowledged'))
  assert.deepEqual(
    bench.store.write(() => bench.store.resolve(id, 'Ada')),
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
  bench.store.write(() => bench.store.resolve(other ?? '', 'Ada'))
  bench.now = DUE
  assert.deepEqual(take(bench), [])
})

test('a provider that paged somebody is told of the acknowledgement, then of the end', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const id = bench.spill({ fingerprint: 'f' })
  settle(bench, take(bench)[0] as Page, { state: 'sent' })
  bench.store.write(() => bench.store.acknowledge(id, 'Ada'))
  const [acknowledge] = take(bench)
  assert.deepEqual([acknowledge?.signal, acknowledge?.by, acknowledge?.fingerprint], ['acknowledge', 'Ada', 'f'])
  settle(bench, acknowledge as Page, { state: 'sent' })
  bench.commit({ drafts: [draft({ fingerprint: 'f', status: 'resolved' })] })
  const [resolve] = take(bench)
  assert.equal(resolve?.signal, 'resolve')
  settle(bench, resolve as Page, { state: 'sent' })
  assert.deepEqual(
    bench.detail(id).oncall?.attempts.map(({ number }) => number),
    [1, 2, 3],
  )
})

test('what was under way when the process died is handed out again, flagged', (t) => {
  const bench = paging(t, { waitMs: 0 })
  bench.spill({ fingerprint: 'f' })
  take(bench)
  bench.reopen()
  const [again] = take(bench)
  assert.deepEqual([again?.fingerprint, again?.mayDuplicate], ['f', true])
})

test('an acknowledgement while the page is under way is told once the page may have arrived', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const ids = [bench.spill(), bench.spill()]
  const [arrived, missed] = take(bench)
  for (const id of ids) bench.store.write(() => bench.store.acknowledge(id, 'Ada'))
  settle(bench, arrived as Page, { state: 'pending', at: START + 10 }, { mayDuplicate: true })
  settle(bench, missed as Page, { state: 'pending', at: START + 10 })
  assert.deepEqual(
    take(bench).map(({ id, signal }) => [id, signal]),
    [[ids[0], 'acknowledge']],
  )
})

test('a page that the provider took just after somebody had the incident is on the record as made', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const id = bench.spill()
  const [page] = take(bench)
  bench.store.write(() => bench.store.acknowledge(id, 'Ada'))
  settle(bench, page as Page, { state: 'sent' })
  const { oncall, oncall_triggered } = bench.detail(id)
  assert.deepEqual([oncall?.state, oncall_triggered, oncall?.next_signal], ['acknowledged', true, 'acknowledge'])
})

test('an incident that is yet to page is unfinished: it is never pruned', (t) => {
  const bench = new Bench(t, { channels: [], maxIncidents: 1, oncall: POLICY })
  const armed = bench.spill()
  for (let n = 0; n < 5; n++) bench.spill({ status: 'resolved' })
  assert.equal(bench.store.counters().finishedIncidents, 5)
  bench.store.write(() => bench.store.prune(100))
  assert.equal(bench.detail(armed).oncall?.state, 'armed')
  bench.now = DUE
  settle(bench, take(bench)[0] as Page, { state: 'sent' })
  bench.store.write(() => bench.store.prune(100))
  assert.equal(bench.store.incident(armed), undefined)
  assert.equal(bench.store.oncall.facts(1), undefined)
})

test('armed timers count against the backlog', (t) => {
  const bench = new Bench(t, { channels: ['email'], maxBacklog: 3, oncall: POLICY })
  bench.spill()
  bench.spill()
  assert.equal(bench.commit({ drafts: [draft()] }).result.kind, 'refused')
})

test('switched off, what is armed pages nobody; what a request asked for still does', (t) => {
  const bench = paging(t)
  const usual = bench.spill()
  const asked = draft()
  bench.commit({ drafts: [asked], overrides: { oncallEnable: true } })
  bench.reopen({ oncall: { ...POLICY, enable: false } })
  assert.deepEqual(
    [usual, asked.id].map((id) => bench.detail(id).oncall?.state),
    ['cancelled', 'armed'],
  )
  bench.now = DUE
  assert.deepEqual(
    take(bench).map(({ id }) => id),
    [asked.id],
  )
})

test('without the provider that armed timers were meant for, they page nobody', (t) => {
  const bench = paging(t)
  const id = bench.spill()
  const { oncall: _, ...none } = bench.options
  bench.store.close()
  bench.store = openStore(none)
  assert.equal(bench.detail(id).oncall?.state, 'cancelled')
})

test('another provider is not told of what its predecessor paged', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const id = bench.spill()
  settle(bench, take(bench)[0] as Page, { state: 'sent' })
  bench.store.write(() => bench.store.acknowledge(id, 'Ada'))
  bench.reopen({ oncall: { ...POLICY, provider: 'pagerduty' } })
  assert.deepEqual(take(bench), [])
  assert.deepEqual([bench.detail(id).oncall?.provider, bench.detail(id).oncall?.next_signal], ['webhook', null])
})

test('a clock that was ahead before the restart keeps no timer longer than it was wound up for', (t) => {
  const bench = paging(t)
  bench.spill()
  bench.now = START - 24 * 3_600_000
  bench.reopen()
  assert.equal(bench.store.oncall.nextDueAt(), bench.now + 60_000)
})

test('timers move with the clock that was set', (t) => {
  const bench = paging(t)
  bench.spill()
  bench.store.write(() => bench.store.oncall.shift(-3_600_000))
  assert.equal(bench.store.oncall.nextDueAt(), DUE - 3_600_000)
})

test('pages are counted as armed until their time and as overdue after it', (t) => {
  const bench = paging(t)
  bench.spill()
  bench.spill()
  assert.deepEqual(bench.store.oncall.counters(), { armed: 2, overdue: 0 })
  bench.now = DUE
  assert.deepEqual(bench.store.oncall.counters(), { armed: 0, overdue: 2 })
  for (const page of take(bench)) settle(bench, page, { state: 'sent' })
  assert.deepEqual(bench.store.oncall.counters(), { armed: 0, overdue: 0 })
})

test('10,000 timers cost less than 50 MB', (t) => {
  const bench = new Bench(t, { channels: [], maxBacklog: 1_000_000, oncall: POLICY })
  const before = process.memoryUsage().rss
  for (let n = 0; n < 100; n++) bench.commit({ drafts: Array.from({ length: 100 }, () => draft()) })
  const costs = process.memoryUsage().rss - before
  assert.equal(bench.store.oncall.counters().armed, 10_000)
  assert.ok(costs < 50 * 2 ** 20, `${Math.round(costs / 2 ** 20)} MB`)
})

test('whatever happens in whatever order, the counts are those of the database and no page is lost', (t) => {
  let seed = 12_345
  const below = (max: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % max
  }
  const bench = new Bench(t, { channels: ['email'], maxIncidents: 5, oncall: { ...POLICY, waitMs: 40 } })
  const ids: string[] = []
  let held: Page[] = []
  const acts: readonly (() => void)[] = [
    () => ids.push(bench.spill({ fingerprint: `f${below(4)}`, status: below(4) === 0 ? 'resolved' : 'firing' })),
    () => held.push(...take(bench, below(3))),
    () => {
      const [page] = held.splice(below(held.length + 1), 1)
      const states = ['sent', 'dead', 'pending', 'returned'] as const
      const state = states[below(4)] ?? 'sent'
      if (page)
        settle(bench, page, { state, reason: 'no', at: bench.now + below(30) }, { mayDuplicate: below(3) === 0 })
    },
    () => void bench.store.write(() => bench.store.acknowledge(ids[below(ids.length || 1)] ?? '', 'Ada')),
    () => void bench.store.write(() => bench.store.resolve(ids[below(ids.length || 1)] ?? '', 'Ada')),
    () => bench.finish('email'),
    () => void bench.store.write(() => bench.store.prune(below(4))),
    () => {
      bench.now += below(30)
    },
    () => {
      bench.reopen()
      held = []
    },
    () => assert.throws(() => bench.store.write(() => failing(bench))),
  ]
  for (let n = 0; n < 1_500; n++) {
    acts[below(acts.length)]?.()
    if (n % 25 === 0) sameAfterRecount(bench)
  }
  bench.reopen()
  bench.now += 1_000
  for (let turn = 0; turn < 3; turn++) for (const page of take(bench, 10_000)) settle(bench, page, { state: 'sent' })
  assert.equal(bench.store.oncall.nextDueAt(), undefined)
  for (const id of ids) {
    const detail = bench.store.incident(id)
    const state = detail?.oncall?.state
    assert.ok(state === undefined || !['armed', 'paging'].includes(state), `${id} is ${state}`)
  }
})

function failing({ store }: Bench): void {
  store.commit({ drafts: [draft({ fingerprint: 'f1' }), draft({ fingerprint: 'f1', status: 'resolved' })] }, () => true)
  store.oncall.take(5)
  throw new RangeError('on purpose')
}

/** What memory knows, against what a second look at the database says. */
function sameAfterRecount(bench: Bench): void {
  const seen = () => [bench.store.counters().finishedIncidents, bench.store.oncall.nextDueAt() !== undefined]
  const held = bench.store.write(() => bench.store.oncall.reclaim())
  const before = seen()
  bench.reopen()
  assert.deepEqual(seen(), before, `${held} were handed out`)
}
