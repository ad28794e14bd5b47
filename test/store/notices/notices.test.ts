import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dispatch, Settlement } from '../../../src/domain/commit.ts'
import type { ChannelName } from '../../../src/domain/delivery.ts'
import { Bench, backlogOf } from '../support.ts'

const SENT: Settlement['verdict'] = { state: 'sent' }
const DEAD: Settlement['verdict'] = { state: 'dead', reason: 'is_archived' }
const MINUTE = 60_000
const OFTEN = 1_000
const deadIn = ({ notice }: Dispatch) => notice?.kind === 'failures' && notice.dead

test('dead deliveries raise one notice, through a channel that works, with their number and the last reason', (t) => {
  const bench = new Bench(t)
  die(bench, 3)
  assert.deepEqual(notices(bench), [])
  bench.now += OFTEN
  const [notice, ...others] = notices(bench)
  assert(notice)
  assert.deepEqual([notice.channel, notice.attempt, others.length], ['email', 1, 0])
  assert.deepEqual(notice.notice, { kind: 'failures', about: 'chatws', dead: 3, reason: 'is_archived' })
  bench.settle(notice, SENT)
  assert.equal(bench.store.channels.health().chatws.lastNotice?.state, 'sent')
})

test('a notice is no incident: it is in no list, no total and no backlog', (t) => {
  const bench = new Bench(t)
  die(bench, 1)
  bench.now += OFTEN
  const before = [bench.store.status.counters(), backlogOf(bench.store), bench.store.incidents.list({ limit: 9 })]
  const [notice] = notices(bench)
  assert(notice)
  assert.equal(bench.settle(notice, SENT), undefined)
  assert.deepEqual(
    [bench.store.status.counters(), backlogOf(bench.store), bench.store.incidents.list({ limit: 9 })],
    before,
  )
})

test('the next notice about the same channel comes after 15 minutes, and only when more have died', (t) => {
  const bench = new Bench(t)
  die(bench, 1)
  bench.now += OFTEN
  claimOnly(bench)
  die(bench, 2)
  bench.now += 14 * MINUTE
  assert.deepEqual(notices(bench), [])
  bench.now += MINUTE
  assert.equal(deadIn(claimOnly(bench)), 3)
  bench.now += 60 * MINUTE
  assert.deepEqual(notices(bench), [])
})

test('the 15 minutes go on over a restart, and a leased notice is sent again', (t) => {
  const bench = new Bench(t)
  die(bench, 1)
  bench.now += OFTEN
  assert.equal(notices(bench).length, 1)
  bench.reopen()
  const again = claimOnly(bench)
  assert.deepEqual([again.attempt, again.mayDuplicate], [1, true])
  die(bench, 1)
  bench.reopen()
  bench.now += 14 * MINUTE
  assert.deepEqual(notices(bench), [])
  bench.now += MINUTE
  assert.equal(deadIn(claimOnly(bench)), 2)
})

test('without a channel that works the notice waits for one', (t) => {
  const bench = new Bench(t, { channels: ['chatws'] })
  die(bench, 1)
  bench.now += OFTEN
  assert.deepEqual(claim(bench), { dispatches: [], stuck: ['chatws'] })
  bench.spill()
  bench.finish('chatws', SENT)
  const [notice] = notices(bench)
  assert.equal(notice?.channel, 'chatws')
})

test('a notice that falls due right after a claim still has a due time', (t) => {
  const bench = new Bench(t)
  die(bench, 1)
  bench.now += OFTEN - 1
  assert.deepEqual(notices(bench), [])
  bench.now += 1
  assert.equal(bench.store.outbox.nextNoticeAt(), bench.now)
})

test('a notice that one channel refuses goes through another', (t) => {
  const bench = new Bench(t, { channels: ['chatws', 'email', 'officechat'] })
  die(bench, 1)
  bench.now += OFTEN
  const [first] = notices(bench)
  assert(first)
  bench.settle(first, { state: 'dead', reason: 'no' }, { startedAt: bench.now })
  bench.now += MINUTE
  const [second] = notices(bench)
  assert(second)
  assert.deepEqual([second.attempt, first.channel === second.channel], [2, false])
})

test('a notice that no channel takes is given up after a while, and raises no other one', (t) => {
  const bench = new Bench(t)
  die(bench, 1)
  for (let attempt = 1; attempt <= 20; attempt++) {
    bench.spill()
    bench.now += MINUTE
    for (const dispatch of bench.claim('email')) bench.settle(dispatch, SENT, { startedAt: bench.now })
    const [notice] = notices(bench)
    assert(notice, `attempt ${attempt}`)
    bench.settle(notice, { state: 'dead', reason: 'no' }, { startedAt: bench.now })
  }
  bench.now += 20 * MINUTE
  assert.deepEqual([notices(bench), bench.store.channels.health().chatws.lastNotice?.state], [[], 'dead'])
})

test('a notice is skipped when all dead deliveries were replayed before it went out', (t) => {
  const bench = new Bench(t)
  die(bench, 1)
  bench.store.write(() => bench.store.operator.replay({ state: 'dead' }))
  bench.now += OFTEN
  assert.deepEqual([notices(bench), bench.store.channels.health().chatws.lastNotice?.state], [[], 'skipped'])
})

/** Lets `count` deliveries die on chatws and arrive on the other channel. */
function die(bench: Bench, count: number): void {
  for (let n = 0; n < count; n++) bench.spill()
  for (const channel of bench.options.channels) bench.finish(channel, channel === 'chatws' ? DEAD : SENT)
}

const claim = (bench: Bench, channels: readonly ChannelName[] = bench.options.channels) =>
  bench.store.write(() => bench.store.outbox.claimNotices((channel) => channels.includes(channel)))

const notices = (bench: Bench): readonly Dispatch[] => claim(bench).dispatches

function claimOnly(bench: Bench): Dispatch {
  const [notice] = notices(bench)
  assert(notice)
  bench.settle(notice, SENT, { startedAt: bench.now })
  return notice
}
