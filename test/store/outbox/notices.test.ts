import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageDispatch, Settlement } from '../../../src/domain/delivery/dispatch.ts'
import { backlogOf, StoreRig } from '../support.ts'

const SENT: Settlement['verdict'] = { state: 'sent' }
const DEAD: Settlement['verdict'] = { state: 'dead', reason: 'is_archived' }
const MINUTE = 60_000
const OFTEN = 1_000
const deadIn = ({ notice }: MessageDispatch) => notice?.kind === 'failures' && notice.dead

test('dead deliveries raise one notice, through a channel that works, with their number and the last reason', (t) => {
  const rig = new StoreRig(t)
  die(rig, 3)
  assert.deepEqual(notices(rig), [])
  rig.now += OFTEN
  const [notice, ...others] = notices(rig)
  assert(notice)
  assert.deepEqual([notice.destination, notice.attempt, others.length], ['email', 1, 0])
  assert.deepEqual(notice.notice, { kind: 'failures', about: 'chatws', dead: 3, reason: 'is_archived' })
  rig.settle(notice, SENT)
  assert.equal(rig.store.channels.health().chatws.lastNotice?.state, 'sent')
})

test('a notice is no incident: it is in no list, no total and no backlog', (t) => {
  const rig = new StoreRig(t)
  die(rig, 1)
  rig.now += OFTEN
  const before = [rig.store.status.counters(), backlogOf(rig.store), rig.store.incidents.list({ limit: 9 })]
  const [notice] = notices(rig)
  assert(notice)
  assert.equal(rig.settle(notice, SENT), undefined)
  assert.deepEqual([rig.store.status.counters(), backlogOf(rig.store), rig.store.incidents.list({ limit: 9 })], before)
})

test('the next notice about the same channel comes after 15 minutes, and only when more have died', (t) => {
  const rig = new StoreRig(t)
  die(rig, 1)
  rig.now += OFTEN
  claimOnly(rig)
  die(rig, 2)
  rig.now += 14 * MINUTE
  assert.deepEqual(notices(rig), [])
  rig.now += MINUTE
  assert.equal(deadIn(claimOnly(rig)), 3)
  rig.now += 60 * MINUTE
  assert.deepEqual(notices(rig), [])
})

test('the 15 minutes go on over a restart, and a leased notice is sent again', (t) => {
  const rig = new StoreRig(t)
  die(rig, 1)
  rig.now += OFTEN
  assert.equal(notices(rig).length, 1)
  rig.reopen()
  const again = claimOnly(rig)
  assert.deepEqual([again.attempt, again.mayDuplicate], [1, true])
  die(rig, 1)
  rig.reopen()
  rig.now += 14 * MINUTE
  assert.deepEqual(notices(rig), [])
  rig.now += MINUTE
  assert.equal(deadIn(claimOnly(rig)), 2)
})

test('without a channel that works the notice waits for one', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws'] })
  die(rig, 1)
  rig.now += OFTEN
  const { dispatches, stuck } = rig.claimAll()
  assert.deepEqual([dispatches, stuck], [[], ['chatws']])
  rig.spill()
  rig.finish('chatws', SENT)
  const [notice] = notices(rig)
  assert.equal(notice?.destination, 'chatws')
})

test('a notice that falls due right after a claim still has a due time', (t) => {
  const rig = new StoreRig(t)
  die(rig, 1)
  rig.now += OFTEN - 1
  assert.deepEqual(notices(rig), [])
  rig.now += 1
  assert.equal(rig.store.outbox.nextDueAt('any'), rig.now)
})

test('a notice that one channel refuses goes through another', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws', 'email', 'officechat'] })
  die(rig, 1)
  rig.now += OFTEN
  const [first] = notices(rig)
  assert(first)
  rig.settle(first, { state: 'dead', reason: 'no' }, { startedAt: rig.now })
  rig.now += MINUTE
  const [second] = notices(rig)
  assert(second)
  assert.deepEqual([second.attempt, first.destination === second.destination], [2, false])
})

test('a notice that no channel takes is given up after a while, and raises no other one', (t) => {
  const rig = new StoreRig(t)
  die(rig, 1)
  for (let attempt = 1; attempt <= 20; attempt++) {
    rig.spill()
    rig.now += MINUTE
    const [notice, ...deliveries] = rig.claim('email')
    assert(notice?.kind === 'notice', `attempt ${attempt}`)
    for (const delivery of deliveries) rig.settle(delivery, SENT, { startedAt: rig.now })
    rig.settle(notice, { state: 'dead', reason: 'no' }, { startedAt: rig.now })
  }
  rig.now += 20 * MINUTE
  assert.deepEqual([notices(rig), rig.store.channels.health().chatws.lastNotice?.state], [[], 'dead'])
})

test('a notice is skipped when all dead deliveries were replayed before it went out', (t) => {
  const rig = new StoreRig(t)
  die(rig, 1)
  rig.store.operator.replay({ state: 'dead' })
  rig.now += OFTEN
  assert.deepEqual([notices(rig), rig.store.channels.health().chatws.lastNotice?.state], [[], 'skipped'])
})

test('a way back of answers that is down raises a notice through another channel, one in 15 minutes, unless it is up again', (t) => {
  const rig = new StoreRig(t)
  const way = { channel: 'chatws', since: rig.now, error: 'token_revoked' } as const
  const down = () => rig.store.outbox.wayBack('chatws', way)
  down()
  down()
  rig.now += OFTEN
  const { destination, notice } = claimOnly(rig)
  assert.deepEqual([destination, notice], ['email', { kind: 'ways down', ways: [way] }])
  down()
  rig.now += 14 * MINUTE
  assert.deepEqual(notices(rig), [])
  rig.store.outbox.wayBack('chatws')
  rig.now += MINUTE
  assert.deepEqual(notices(rig), [])
})

/** Lets `count` deliveries die on chatws and arrive on the other channel. */
function die(rig: StoreRig, count: number): void {
  for (let n = 0; n < count; n++) rig.spill()
  for (const channel of rig.options.channels) rig.finish(channel, channel === 'chatws' ? DEAD : SENT)
}

const notices = (rig: StoreRig): MessageDispatch[] =>
  rig
    .claimAll()
    .dispatches.flatMap((dispatch) =>
      dispatch.kind === 'notice' && dispatch.destination !== 'oncall' ? [dispatch] : [],
    )

function claimOnly(rig: StoreRig): MessageDispatch {
  const [notice] = notices(rig)
  assert(notice)
  rig.settle(notice, SENT, { startedAt: rig.now })
  return notice
}
