import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '../../../src/domain/delivery/dispatch.ts'
import { openStore } from '../database.ts'
import { claimPages, DUE, POLICY, paging, settle } from '../paging.ts'
import { draft, entriesFor, roomAt, START, StoreRig, withCode } from '../support.ts'

test('pages in flight when the process died are claimed again, flagged', (t) => {
  const rig = paging(t, { waitMs: 0 })
  rig.spill({ fingerprint: 'f' })
  claimPages(rig)
  rig.reopen()
  const [again] = claimPages(rig)
  assert.deepEqual([again?.fingerprint, again?.mayDuplicate], ['f', true])
})

test('an incident is unfinished until its page is sent: the page needs its payload', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 1, oncall: POLICY })
  const armed = rig.spill()
  for (let n = 0; n < 5; n++) rig.spill({ status: 'resolved' })
  assert.equal(rig.store.status.counters().finishedIncidents, 5)
  rig.store.maintenance.prune(100)
  assert.equal(rig.detail(armed).oncall?.state, 'armed')
  rig.now = DUE
  settle(rig, claimPages(rig)[0] as Page, { state: 'sent' })
  assert.equal(rig.detail(armed).oncall?.state, 'paged')
  rig.store.maintenance.prune(100)
  assert.equal(rig.store.incidents.detail(armed), undefined)
  assert.equal(rig.store.oncall.facts(1), undefined)
})

test('armed timers count against the backlog', (t) => {
  const rig = paging(t)
  rig.spill()
  rig.spill()
  assert.equal(rig.store.journal.progress().backlog, 4)
  for (const page of claimPages(rig)) assert.fail(`${page.id} is not due`)
  rig.now = DUE
  assert.deepEqual([claimPages(rig).length, rig.store.journal.progress().backlog], [2, 4], 'until they are settled')
})

test('a page counts against the backlog once, until no signal of it is left', (t) => {
  const rig = new StoreRig(t, { channels: [], oncall: { ...POLICY, waitMs: 0 } })
  const backlog = () => rig.store.journal.progress().backlog
  const id = rig.spill()
  for (const verdict of [{ state: 'released' }, { state: 'pending', at: START }] as const) {
    const [page] = claimPages(rig)
    assert.equal(backlog(), 1)
    settle(rig, page as Page, verdict)
    assert.equal(backlog(), 1)
  }
  claimPages(rig)
  rig.turn({ sendersLost: true })
  assert.equal(backlog(), 1)
  settle(rig, claimPages(rig)[0] as Page, { state: 'sent' })
  assert.equal(backlog(), 0)
  rig.store.operator.acknowledge(id, 'Ada')
  assert.equal(backlog(), 1)
  settle(rig, claimPages(rig)[0] as Page, { state: 'dead', reason: 'no' })
  assert.equal(backlog(), 0)
})

test('with on-call switched off only incidents whose request asked for it page', (t) => {
  const rig = paging(t)
  const usual = rig.spill()
  const asked = draft()
  rig.commit({ drafts: [asked], overrides: { oncallEnable: true } })
  rig.reopen({ oncall: { ...POLICY, enable: false } })
  assert.deepEqual(
    [usual, asked.id].map((id) => rig.detail(id).oncall?.state),
    ['cancelled', 'armed'],
  )
  rig.now = DUE
  assert.deepEqual(
    claimPages(rig).map(({ id }) => id),
    [asked.id],
  )
})

test('without a provider armed timers do not page', (t) => {
  const rig = paging(t)
  const id = rig.spill()
  const { oncall: _, ...none } = rig.options
  rig.store.close()
  rig.store = openStore(none)
  assert.equal(rig.detail(id).oncall?.state, 'cancelled')
})

test('a new provider gets no updates for pages of its predecessor', (t) => {
  const rig = paging(t, { waitMs: 0 })
  const id = rig.spill()
  settle(rig, claimPages(rig)[0] as Page, { state: 'sent' })
  rig.store.operator.acknowledge(id, 'Ada')
  rig.reopen({ oncall: { ...POLICY, provider: 'pagerduty' } })
  assert.deepEqual(claimPages(rig), [])
  assert.deepEqual([rig.detail(id).oncall?.provider, rig.detail(id).oncall?.next_signal], ['webhook', null])
})

test('a clock that was ahead before the restart makes no timer longer than its full wait', (t) => {
  const rig = paging(t)
  rig.spill()
  rig.now = START - 24 * 3_600_000
  rig.reopen()
  assert.equal(rig.store.outbox.nextDueAt('oncall'), rig.now + 60_000)
})

test('timers move with a clock that was set', (t) => {
  const rig = paging(t)
  rig.spill()
  rig.turn({ clockJumpMs: -3_600_000 })
  assert.equal(rig.store.outbox.nextDueAt('oncall'), DUE - 3_600_000)
})

test('pages are counted as armed until their time and as overdue after it', (t) => {
  const rig = paging(t)
  rig.spill()
  rig.spill()
  assert.deepEqual(rig.store.status.state().oncall, { armed: 2, overdue: 0, forgotten: 0 })
  rig.now = DUE
  assert.deepEqual(rig.store.status.state().oncall, { armed: 0, overdue: 2, forgotten: 0 })
  for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
  assert.deepEqual(rig.store.status.state().oncall, { armed: 0, overdue: 0, forgotten: 0 })
})

test('after any steps in any order the counts equal those of the database and no page is lost', (t) => {
  let seed = 12_345
  const below = (max: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % max
  }
  const rig = new StoreRig(t, { channels: ['email'], maxIncidents: 5, oncall: { ...POLICY, waitMs: 40 } })
  const ids: string[] = []
  let held: Page[] = []
  const acts: readonly (() => void)[] = [
    () => ids.push(rig.spill({ fingerprint: `f${below(4)}`, status: below(4) === 0 ? 'resolved' : 'firing' })),
    () => held.push(...claimPages(rig, below(3))),
    () => {
      const [page] = held.splice(below(held.length + 1), 1)
      const states = ['sent', 'dead', 'pending', 'released'] as const
      const state = states[below(4)] ?? 'sent'
      if (page) settle(rig, page, { state, reason: 'no', at: rig.now + below(30) }, { mayDuplicate: below(3) === 0 })
    },
    () => void rig.store.operator.acknowledge(ids[below(ids.length || 1)] ?? '', 'Ada'),
    () => void rig.store.operator.resolve(ids[below(ids.length || 1)] ?? '', 'Ada'),
    () => rig.finish('email'),
    () => void rig.store.maintenance.prune(below(4)),
    () => {
      rig.now += below(30)
    },
    () => {
      rig.reopen()
      held = []
    },
    () => failing(rig),
  ]
  for (let n = 0; n < 300; n++) {
    acts[below(acts.length)]?.()
    if (n % 25 === 0) sameAfterRecount(rig)
  }
  rig.reopen()
  rig.now += 1_000
  for (let turn = 0; turn < 3; turn++) for (const page of claimPages(rig, 10_000)) settle(rig, page, { state: 'sent' })
  assert.equal(rig.store.outbox.nextDueAt('oncall'), Infinity)
  for (const id of ids) {
    const detail = rig.store.incidents.detail(id)
    const state = detail?.oncall?.state
    assert.ok(state === undefined || !['armed', 'paging'].includes(state), `${id} is ${state}`)
  }
})

/** A turn with all kinds of changes, which the disk refuses at its end. */
function failing(rig: StoreRig): void {
  const drafts = [draft({ fingerprint: 'f1' }), draft({ fingerprint: 'f1', status: 'resolved' })]
  const turn = { entries: entriesFor(rig.store, [{ drafts }]), capacity: roomAt('oncall', 'email') }
  assert.throws(() => rig.failingAtCommit(() => rig.turn(turn)), withCode('storage_down'))
}

/** Compares the counts in memory with a recount of the database. */
function sameAfterRecount(rig: StoreRig): void {
  const seen = () => [rig.store.status.counters().finishedIncidents, rig.store.outbox.nextDueAt('oncall') !== Infinity]
  const held = rig.turn({ sendersLost: true })
  const before = seen()
  rig.reopen()
  assert.deepEqual(seen(), before, String(held.applied))
}
