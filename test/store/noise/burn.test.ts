import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BurnNotice } from '../../../src/domain/delivery/notice.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { draft, entriesFor, StoreRig } from '../support.ts'

const MINUTE_MS = 60_000
const SLO = { toldWithinMs: MINUTE_MS, objective: 0.999 }
const TO_CHAT = () => ({ destinations: [{ channel: 'chatws' }], priority: 'normal', rules: [] }) as const

const given = (t: TestContext, changes: Partial<StoreOptions> = {}) =>
  new StoreRig(t, { channels: ['chatws', 'email'], slo: SLO, decide: TO_CHAT, ...changes })

/** Commits incidents and lets the chat take them after a time. */
function tell(rig: StoreRig, count: number, afterMs: number): void {
  const drafts = Array.from({ length: count }, () => draft({ createdAt: rig.now }))
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  rig.now += afterMs
  for (const one of rig.claim('chatws')) rig.settle(one, { state: 'sent' }, { startedAt: rig.now, durationMs: 0 })
}

/** Lets three minutes begin, and returns the notice that is due then. */
function noticeOf(rig: StoreRig): BurnNotice | undefined {
  for (let n = 0; n < 3; n++) {
    rig.now += MINUTE_MS
    rig.turn({})
  }
  const found = rig.claimAll(['email']).dispatches.flatMap((one) => (one.kind === 'notice' ? [one] : []))
  for (const one of found) rig.settle(one, { state: 'sent' })
  return found.map(({ notice }) => notice).find((notice) => notice?.kind === 'burn')
}

test('incidents that are told in time burn nothing', (t) => {
  const rig = given(t)
  tell(rig, 100, 1_000)
  assert.equal(noticeOf(rig), undefined)
})

test('too many late incidents are one notice an hour, through a channel that works', (t) => {
  const rig = given(t)
  tell(rig, 50, 1_000)
  tell(rig, 10, 2 * MINUTE_MS)
  const notice = noticeOf(rig)
  assert.deepEqual([notice?.kind, notice?.late, notice?.of, notice?.overdue], ['burn', 10, 60, 0])
  assert.equal(noticeOf(rig), undefined)
})

test('what is not told at all burns too, and wakes the store by itself', (t) => {
  const rig = given(t)
  tell(rig, 20, 1_000)
  rig.spill()
  rig.spill()
  assert.ok(rig.store.outbox.nextDueAt('any') <= rig.now + MINUTE_MS)
  assert.equal(noticeOf(rig)?.overdue, 2)
})

for (const when of ['before the minute begins', 'between the minute and the claim of the notice'])
  test(`a late message that is under way is not told yet: leased ${when}`, (t) => {
    const rig = given(t)
    rig.spill()
    rig.spill()
    rig.now += 2 * MINUTE_MS
    if (when.startsWith('between')) rig.turn({})
    assert.equal(rig.claim('chatws').length, 2)
    assert.equal(noticeOf(rig)?.overdue, 2)
  })

test('what an operator sends again is not overdue', (t) => {
  const rig = given(t)
  tell(rig, 20, 1_000)
  const id = rig.spill()
  rig.finish('chatws', { state: 'dead', reason: 'gone' })
  rig.now += 2 * MINUTE_MS
  assert.equal(rig.store.operator.replay({ state: 'dead', id }), 1)
  assert.equal(noticeOf(rig), undefined)
})

test('the minutes are on disk, and those older than six hours are forgotten', (t) => {
  const rig = given(t)
  tell(rig, 10, 2 * MINUTE_MS)
  rig.reopen()
  assert.equal(noticeOf(rig)?.late, 10)
  rig.now += 7 * 3_600_000
  tell(rig, 10, 1_000)
  assert.equal(noticeOf(rig), undefined)
})

test('a store that opens looks at once, and tells no second time within the hour', (t) => {
  const rig = given(t)
  tell(rig, 10, 2 * MINUTE_MS)
  rig.spill()
  const told = () => {
    assert.ok(rig.store.outbox.nextDueAt('any') <= rig.now, 'the store wakes by itself')
    rig.turn({})
    rig.now += 1_000
    return rig.claimAll(['email']).dispatches.filter(({ kind }) => kind === 'notice')
  }
  rig.reopen()
  const [first, ...others] = told()
  assert.ok(first?.kind === 'notice')
  assert.deepEqual([others.length, first.mayDuplicate], [0, false])
  rig.reopen()
  const [again] = told()
  assert.ok(again?.kind === 'notice')
  assert.deepEqual([again.number, again.mayDuplicate], [first.number, true], 'it was on its way')
  rig.settle(again, { state: 'sent' })
  rig.reopen()
  assert.deepEqual(told(), [])
  rig.now += 3_600_000
  assert.equal(rig.claimAll(['email']).dispatches.length, 1)
})

test('without an objective nothing is counted', (t) => {
  const rig = given(t, { slo: undefined })
  tell(rig, 10, 2 * MINUTE_MS)
  assert.equal(rig.store.outbox.nextDueAt('any'), Infinity)
  assert.equal(noticeOf(rig), undefined)
})

test('a transaction that failed and is repeated raises the notice', (t) => {
  const rig = given(t)
  rig.spill()
  rig.now += 2 * MINUTE_MS
  assert.throws(() => rig.failingAtCommit(() => rig.turn({})))
  rig.turn({})
  rig.now += 1_000
  const found = rig.claimAll(['email']).dispatches.filter(({ kind }) => kind === 'notice')
  assert.equal(found.length, 1)
})
