import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import type { DigestNotice } from '../../../src/domain/delivery/notice.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { draft, entriesFor, StoreRig } from '../support.ts'

/** One message a second, four at once: a storm begins with 14 that wait. */
const CHAT = {
  enable: true,
  rate: { perSecond: 1, burst: 4 },
  reading: { perSecond: 1, burst: 4 },
  withinMs: 60_000,
  edits: true,
}

const given = (t: TestContext, changes: Partial<StoreOptions> = {}) =>
  new StoreRig(t, { channels: ['chatws'], maxBacklog: 100_000, storms: { chatws: CHAT }, ...changes })

/** Commits incidents of `kinds` fingerprints in one turn. */
function flood(rig: StoreRig, count: number, changes: Partial<Draft> = {}, kinds = 5): string[] {
  const drafts = Array.from({ length: count }, (_, n) =>
    draft({ fingerprint: `kind ${n % kinds}`, severity: 'warning', createdAt: rig.now, ...changes }),
  )
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  return drafts.map(({ id }) => id)
}

const digests = (dispatches: readonly MessageDispatch[]) => dispatches.filter(({ kind }) => kind === 'digest')
const noticeOf = (dispatch: MessageDispatch | undefined) => dispatch?.notice as DigestNotice
const alertsOf = ({ counts }: DigestNotice) => counts.reduce((sum, { alerts }) => sum + alerts, 0)
const states = (rig: StoreRig, ids: readonly string[]) =>
  Object.fromEntries(
    [...Map.groupBy(ids, (id) => rig.detail(id).deliveries[0]?.state ?? 'none')].map(([state, of]) => [
      state,
      of.length,
    ]),
  )

/** Passes a second of a chat: claims, and sends everything. */
function second(rig: StoreRig): MessageDispatch[] {
  rig.now += 1_000
  const claimed = rig.claim('chatws', 10)
  for (const one of claimed) rig.settle(one, { state: 'sent' }, { messageId: `m${one.number}` })
  while (rig.turn({}).concluded.length > 0);
  return claimed
}

test('a flood becomes a few messages and one digest with exact numbers, and every incident is sent', (t) => {
  const rig = given(t)
  const ids = flood(rig, 1_000)
  assert.deepEqual(states(rig, ids), { pending: 14, folded: 986 })
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 1_000)
  const sent: MessageDispatch[] = []
  for (let n = 0; n < 90; n++) sent.push(...second(rig))
  const revisions = digests(sent)
  assert.equal(alertsOf(noticeOf(revisions[0])), 1_000)
  assert.equal(noticeOf(revisions[0]).problems, 5)
  assert.equal(noticeOf(revisions.at(-1)).phase, 'over')
  assert.deepEqual(states(rig, ids), { sent: 1_000 })
  assert(sent.length < 25, `${sent.length} messages`)
  const { unfinishedDeliveries, finishedIncidents } = rig.store.status.counters()
  assert.deepEqual([unfinishedDeliveries, finishedIncidents], [0, 1_000])
  assert.equal(rig.detail(ids[999] as string).notify_status, 'sent')
})

test('a digest counts the singles before it, also when all were applied some time after their commit', (t) => {
  const rig = given(t)
  const drafts = Array.from({ length: 100 }, (_, n) => draft({ fingerprint: `kind ${n % 5}`, createdAt: rig.now }))
  const entries = entriesFor(rig.store, [{ drafts }], rig.now)
  rig.now += 50
  rig.turn({ entries })
  const revision = [1, 2, 3].flatMap(() => digests(second(rig)))[0]
  assert.equal(alertsOf(noticeOf(revision)), 100)
})

test('an urgent problem is a message of its own, ahead of everything', (t) => {
  const rig = given(t)
  flood(rig, 500)
  const [urgent = ''] = flood(rig, 1, { severity: 'critical', fingerprint: 'payments' })
  const [first] = rig.claim('chatws', 1)
  assert.deepEqual([first?.id, first?.rank, first?.storm], [urgent, 0, true])
})

test('a digest whose sender died is sent again with the same number, and says that it may be repeated', (t) => {
  const rig = given(t)
  flood(rig, 500)
  rig.now += 2_000
  const [first] = digests(rig.claim('chatws'))
  rig.turn({ sendersLost: true })
  flood(rig, 10)
  const [second] = digests(rig.claim('chatws'))
  assert.deepEqual(
    [noticeOf(second).digest, noticeOf(second).revision],
    [noticeOf(first).digest, noticeOf(first).revision],
  )
  assert.deepEqual([noticeOf(first).mayRepeat, noticeOf(second).mayRepeat], [false, true])
  assert.equal(alertsOf(noticeOf(second)), alertsOf(noticeOf(first)) + 10)
})

test('a digest that is with its sender when the process is killed is sent again, and no place is lost', (t) => {
  const rig = given(t)
  const ids = flood(rig, 500)
  rig.now += 2_000
  const [first] = digests(rig.claim('chatws'))
  rig.reopen()
  const claimed = rig.claim('chatws')
  const [again] = digests(claimed)
  assert.equal(alertsOf(noticeOf(again)), alertsOf(noticeOf(first)))
  assert.equal(noticeOf(again).mayRepeat, true)
  for (const one of claimed) rig.settle(one, { state: 'sent' })
  for (let n = 0; n < 90; n++) second(rig)
  assert.equal(states(rig, ids).folded, undefined)
})

test('a digest that the provider refuses is one dead letter of many incidents; a replay sends one message', (t) => {
  const rig = given(t)
  const ids = flood(rig, 500)
  rig.now += 2_000
  for (const one of rig.claim('chatws'))
    rig.settle(one, one.kind === 'digest' ? { state: 'dead', reason: 'no such chat' } : { state: 'sent' })
  while (rig.store.outbox.nextDueAt('any') === 0) rig.turn({})
  const { dead = 0 } = states(rig, ids)
  assert(dead > 450, `${dead} dead`)
  const one = ids.find((id) => rig.detail(id).deliveries[0]?.state === 'dead') ?? ''
  assert.equal(rig.detail(one).notify_error, 'chatws: no such chat')
  assert.equal(rig.store.operator.replay({ state: 'dead' }), dead)
  rig.now += 3_000
  assert.equal(digests(rig.claim('chatws')).length, 1)
  assert.deepEqual(states(rig, ids).dead, undefined)
})

test('with storm digests off every incident is a message, in the order of arrival', (t) => {
  const rig = given(t, { storms: { chatws: { ...CHAT, enable: false } } })
  flood(rig, 100)
  flood(rig, 1, { severity: 'critical' })
  const claimed = rig.claim('chatws')
  assert.deepEqual(
    claimed.map(({ incident, rank }) => [incident, rank]),
    Array.from({ length: 101 }, (_, n) => [n + 1, 2]),
  )
})

test('switched off, what is folded is told by one last digest', (t) => {
  const rig = given(t)
  const ids = flood(rig, 500)
  rig.reopen({ storms: { chatws: { ...CHAT, enable: false } } })
  const [last] = digests(rig.claim('chatws'))
  assert(last)
  assert.deepEqual([noticeOf(last).phase, alertsOf(noticeOf(last))], ['over', 500])
  rig.settle(last, { state: 'sent' })
  flood(rig, 100)
  for (let n = 0; n < 15; n++) second(rig)
  assert.deepEqual(states(rig, ids).folded, undefined)
  assert.equal(rig.store.outbox.nextDueAt('chatws'), Infinity)
})

test('singles of an earlier version that wait at the start are told by a digest', (t) => {
  const rig = given(t, { storms: {} })
  const ids = flood(rig, 6_000)
  rig.now += 60_000
  rig.reopen({ storms: { chatws: CHAT } })
  let messages = 0
  for (let n = 0; n < 60; n++) messages += second(rig).length
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
  const some = ids.filter((_, nth) => nth % 60 === 0)
  assert.deepEqual(states(rig, some), { sent: 100 })
  assert(messages < 25, `${messages} messages`)
})

test('in a storm further incidents of a problem that pages join its page', (t) => {
  const rig = given(t, { oncall: { enable: true, waitMs: 60_000, provider: 'webhook' } })
  const ids = flood(rig, 300)
  const phases = Map.groupBy(ids, (id) => rig.detail(id).oncall?.state)
  assert.equal(phases.get('joined')?.length, 295)
  const resolved = flood(rig, 1, { status: 'resolved', fingerprint: 'kind 1' })
  assert.equal(resolved.length, 1)
  rig.now += 200
  rig.turn({})
  rig.turn({})
  assert.deepEqual(
    [...new Set(ids.filter((_, n) => n % 5 === 1).map((id) => rig.detail(id).oncall?.state))],
    ['resolved'],
  )
})

test('a refused transaction leaves no place behind', (t) => {
  const rig = given(t)
  flood(rig, 100)
  assert.throws(() => rig.failingAtCommit(() => flood(rig, 50)))
  const ids = flood(rig, 50)
  rig.now += 2_000
  const [digest] = digests(rig.claim('chatws'))
  assert.equal(alertsOf(noticeOf(digest)), 150)
  assert.deepEqual(states(rig, ids), { folded: 50 })
})

test('a storm without a digest leaves nothing behind that the next one would know', (t) => {
  const rig = given(t)
  flood(rig, 14)
  flood(rig, 1, { severity: 'critical', fingerprint: 'payments' })
  assert(rig.claim('chatws', 1)[0]?.storm)
  rig.turn({ sendersLost: true })
  for (let n = 0; n < 200; n++) second(rig)
  assert.deepEqual(rig.store.noise.digests({ limit: 10 }).digests, [])
  rig.now += 3_600_000
  flood(rig, 500, { fingerprint: 'other' }, 1)
  const [urgent = ''] = flood(rig, 1, { severity: 'critical', fingerprint: 'payments' })
  assert.equal(rig.claim('chatws', 1)[0]?.id, urgent)
  const revision = [1, 2, 3].flatMap(() => digests(second(rig)))[0]
  assert.equal(alertsOf(noticeOf(revision)), 501)
})

test('a delivery that is sent again is a message of its own, also in a storm and if it was never tried', (t) => {
  const rig = given(t)
  const [skipped = ''] = flood(rig, 1)
  rig.reopen({ channels: ['email'] })
  rig.reopen({ channels: ['chatws', 'email'], storms: { chatws: CHAT } })
  const [missing = ''] = flood(rig, 1)
  rig.reopen({ channels: ['chatws', 'email', 'msgapp'], storms: { chatws: CHAT, msgapp: CHAT } })
  flood(rig, 500)
  rig.store.operator.resend(skipped)
  rig.store.operator.resend(missing)
  rig.now += 60_000
  rig.claimAll(['chatws', 'msgapp'])
  const stateOf = (id: string, on: string) => rig.detail(id).deliveries.find(({ channel }) => channel === on)?.state
  assert.deepEqual([stateOf(skipped, 'chatws'), stateOf(missing, 'msgapp')], ['sending', 'sending'])
})

test('the first success after a restart makes due what failed before it', (t) => {
  const rig = given(t)
  const ids = flood(rig, 500)
  rig.now += 2_000
  for (const one of rig.claim('chatws')) rig.settle(one, { state: 'pending', at: rig.now + 300_000 })
  rig.reopen()
  flood(rig, 1, { severity: 'critical', fingerprint: 'payments' })
  for (let n = 0; n < 30; n++) second(rig)
  const { folded = 0, pending = 0 } = states(rig, ids)
  assert.deepEqual([folded, pending], [0, 0])
})

test('a digest whose message has no id is posted anew, and a post that may have arrived says so', (t) => {
  const rig = given(t)
  flood(rig, 500)
  rig.now += 2_000
  for (const one of rig.claim('chatws')) rig.settle(one, { state: 'sent' })
  flood(rig, 10)
  rig.now += 20_000
  const [next] = digests(rig.claim('chatws'))
  assert(next)
  rig.settle(next, { state: 'pending', at: rig.now }, { mayDuplicate: true })
  const [again] = digests(rig.claim('chatws'))
  assert.deepEqual([again?.edits, noticeOf(again).mayRepeat], [undefined, true])
  if (again) rig.settle(again, { state: 'sent' })
  assert.deepEqual(
    rig.store.noise.digest(1)?.updates.map(({ way }) => way),
    ['post', 'post'],
  )
})

test('switched off while a digest waits, later incidents are messages of their own', (t) => {
  const rig = given(t)
  flood(rig, 500)
  rig.reopen({ storms: { chatws: { ...CHAT, enable: false } } })
  const ids = flood(rig, 100)
  rig.now += 60_000
  const [last] = digests(rig.claim('chatws', 1))
  assert(last)
  assert.deepEqual(states(rig, ids), { pending: 100 })
})

test('a delivery of low priority that is sent again after storm digests were switched off is claimed', (t) => {
  const low = { destinations: [{ channel: 'chatws' }], priority: 'low', rules: [] } as const
  const rig = given(t, { decide: () => low })
  const [id = ''] = flood(rig, 1)
  rig.finish('chatws', { state: 'dead', reason: 'no' })
  rig.reopen({ storms: { chatws: { ...CHAT, enable: false } } })
  for (const again of ['replay', 'resend'] as const) {
    if (again === 'replay') rig.store.operator.replay({ state: 'dead' })
    else rig.store.operator.resend(id)
    rig.finish('chatws')
    assert.deepEqual([again, states(rig, [id])], [again, { sent: 1 }])
    assert.equal(rig.store.outbox.nextDueAt('chatws'), Infinity)
  }
})

test('untold incidents of many channels become due before they fill the quota', (t) => {
  const channels = ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat'] as const
  const storms = Object.fromEntries(channels.map((name) => [name, CHAT]))
  const rig = given(t, { channels, storms, maxBacklog: 5_000 })
  flood(rig, 600)
  assert(rig.store.status.counters().unfinishedDeliveries < 5_000)
  for (const channel of channels) assert.equal(rig.store.outbox.nextDueAt(channel), 0)
})
