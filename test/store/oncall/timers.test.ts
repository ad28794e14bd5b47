import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '../../../src/domain/oncall.ts'
import { openStore } from '../../../src/store/store.ts'
import { claimPages, DUE, POLICY, paging, settle } from '../paging.ts'
import { Bench, commitAndApply, draft, START } from '../support.ts'

test('pages in flight when the process died are claimed again, flagged', (t) => {
  const bench = paging(t, { waitMs: 0 })
  bench.spill({ fingerprint: 'f' })
  claimPages(bench)
  bench.reopen()
  const [again] = claimPages(bench)
  assert.deepEqual([again?.fingerprint, again?.mayDuplicate], ['f', true])
})

test('an incident that is yet to page is unfinished: it is never pruned', (t) => {
  const bench = new Bench(t, { channels: [], maxIncidents: 1, oncall: POLICY })
  const armed = bench.spill()
  for (let n = 0; n < 5; n++) bench.spill({ status: 'resolved' })
  assert.equal(bench.store.status.counters().finishedIncidents, 5)
  bench.store.write(() => bench.store.maintenance.prune(100))
  assert.equal(bench.detail(armed).oncall?.state, 'armed')
  bench.now = DUE
  settle(bench, claimPages(bench)[0] as Page, { state: 'sent' })
  bench.store.write(() => bench.store.maintenance.prune(100))
  assert.equal(bench.store.incidents.detail(armed), undefined)
  assert.equal(bench.store.oncall.facts(1), undefined)
})

test('armed timers count against the backlog', (t) => {
  const bench = new Bench(t, { channels: ['email'], maxBacklog: 3, oncall: POLICY })
  bench.spill()
  bench.spill()
  assert.equal(bench.commit({ drafts: [draft()] }).result.kind, 'refused')
})

test('with on-call switched off only incidents whose request asked for it page', (t) => {
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
    claimPages(bench).map(({ id }) => id),
    [asked.id],
  )
})

test('without a provider armed timers do not page', (t) => {
  const bench = paging(t)
  const id = bench.spill()
  const { oncall: _, ...none } = bench.options
  bench.store.close()
  bench.store = openStore(none)
  assert.equal(bench.detail(id).oncall?.state, 'cancelled')
})

test('a new provider gets no updates for pages of its predecessor', (t) => {
  const bench = paging(t, { waitMs: 0 })
  const id = bench.spill()
  settle(bench, claimPages(bench)[0] as Page, { state: 'sent' })
  bench.store.write(() => bench.store.operator.acknowledge(id, 'Ada'))
  bench.reopen({ oncall: { ...POLICY, provider: 'pagerduty' } })
  assert.deepEqual(claimPages(bench), [])
  assert.deepEqual([bench.detail(id).oncall?.provider, bench.detail(id).oncall?.next_signal], ['webhook', null])
})

test('a clock that was ahead before the restart makes no timer longer than its full wait', (t) => {
  const bench = paging(t)
  bench.spill()
  bench.now = START - 24 * 3_600_000
  bench.reopen()
  assert.equal(bench.store.oncall.nextDueAt(), bench.now + 60_000)
})

test('timers move with a clock that was set', (t) => {
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
  for (const page of claimPages(bench)) settle(bench, page, { state: 'sent' })
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

test('after any steps in any order the counts equal those of the database and no page is lost', (t) => {
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
    () => held.push(...claimPages(bench, below(3))),
    () => {
      const [page] = held.splice(below(held.length + 1), 1)
      const states = ['sent', 'dead', 'pending', 'released'] as const
      const state = states[below(4)] ?? 'sent'
      if (page)
        settle(bench, page, { state, reason: 'no', at: bench.now + below(30) }, { mayDuplicate: below(3) === 0 })
    },
    () => void bench.store.write(() => bench.store.operator.acknowledge(ids[below(ids.length || 1)] ?? '', 'Ada')),
    () => void bench.store.write(() => bench.store.operator.resolve(ids[below(ids.length || 1)] ?? '', 'Ada')),
    () => bench.finish('email'),
    () => void bench.store.write(() => bench.store.maintenance.prune(below(4))),
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
  for (let turn = 0; turn < 3; turn++)
    for (const page of claimPages(bench, 10_000)) settle(bench, page, { state: 'sent' })
  assert.equal(bench.store.oncall.nextDueAt(), undefined)
  for (const id of ids) {
    const detail = bench.store.incidents.detail(id)
    const state = detail?.oncall?.state
    assert.ok(state === undefined || !['armed', 'paging'].includes(state), `${id} is ${state}`)
  }
})

function failing({ store }: Bench): void {
  commitAndApply(
    store,
    { drafts: [draft({ fingerprint: 'f1' }), draft({ fingerprint: 'f1', status: 'resolved' })] },
    () => true,
  )
  store.oncall.claim(5)
  throw new RangeError('on purpose')
}

/** Compares the counts in memory with a recount of the database. */
function sameAfterRecount(bench: Bench): void {
  const seen = () => [bench.store.status.counters().finishedIncidents, bench.store.oncall.nextDueAt() !== undefined]
  const held = bench.store.write(() => bench.store.oncall.reclaim())
  const before = seen()
  bench.reopen()
  assert.deepEqual(seen(), before, `${held} were handed out`)
}
