import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { revisionIn } from '../harness/noise/digest-account.ts'
import { CHAT_LIMITS } from '../harness/stand-ins/limit.ts'
import { StormRig } from './storm-rig.ts'

/** Upper bounds of one scenario. */
interface Bounds {
  readonly posts: number
  readonly edits?: number
  readonly criticalSeconds?: number
  readonly allSeconds: number
}

const TEN_THOUSAND = { count: 10_000, problems: 50, criticals: 5 }
const CHAT = { channel: 'chatws', limit: CHAT_LIMITS.chatws } as const
const SLOW_CHAT = { channel: 'msgapp', limit: CHAT_LIMITS.msgapp } as const

test('10,000 alerts in a second: one digest, the criticals first', async (t) => {
  const rig = new StormRig(t, CHAT)
  rig.arrive({ ...TEN_THOUSAND, seconds: 1 })
  await assertTold(t, rig, { posts: 40, edits: 12, criticalSeconds: 5, allSeconds: 30 })
  const [digest] = rig.provider.account.digests.values()
  assert.deepEqual([digest?.alerts, digest?.problems], [10_000, 55])
})

test('10,000 alerts in a minute', async (t) => {
  const rig = new StormRig(t, CHAT)
  rig.arrive({ ...TEN_THOUSAND, seconds: 60 })
  await assertTold(t, rig, { posts: 40, edits: 12, criticalSeconds: 5, allSeconds: 30 })
})

test('10,000 alerts in ten minutes', async (t) => {
  const rig = new StormRig(t, CHAT)
  rig.arrive({ ...TEN_THOUSAND, seconds: 600 })
  await assertTold(t, rig, { posts: 50, edits: 75, criticalSeconds: 5, allSeconds: 30 })
})

test('10,000 alerts in a minute into a channel that cannot edit', async (t) => {
  const rig = new StormRig(t, { channel: 'messenger', rate: { perSecond: 1, burst: 4 }, limit: CHAT_LIMITS.chatws })
  rig.arrive({ ...TEN_THOUSAND, seconds: 60 })
  await assertTold(t, rig, { posts: 40, edits: 0, criticalSeconds: 5, allSeconds: 60 })
})

test('10,000 alerts in a minute by mail', async (t) => {
  const rig = new StormRig(t, { channel: 'email' })
  rig.arrive({ ...TEN_THOUSAND, seconds: 60 })
  await assertTold(t, rig, { posts: 60, edits: 0, allSeconds: 300 })
})

for (const seconds of [1, 60])
  test(`10,000 alerts in ${seconds} s into a chat of twenty messages a minute, edits included`, async (t) => {
    const rig = new StormRig(t, SLOW_CHAT)
    rig.arrive({ ...TEN_THOUSAND, seconds })
    await assertTold(t, rig, { posts: 30, criticalSeconds: 12, allSeconds: 60 })
    const after = rig.provider.taken.map(({ atMs }) => atMs).filter((at) => at > 30_000)
    for (const at of after) assert.ok(after.filter((each) => each >= at && each < at + 60_000).length <= 20)
  })

test('10,000 problems, each with one alert', async (t) => {
  const rig = new StormRig(t, CHAT)
  rig.arrive({ ...TEN_THOUSAND, problems: 10_000, criticals: 0, seconds: 60 })
  await assertTold(t, rig, { posts: 60, allSeconds: 60 })
})

test('10,000 critical problems, each with one alert', async (t) => {
  const rig = new StormRig(t, CHAT)
  rig.arrive({ count: 10_000, problems: 1, criticals: 9_999, seconds: 60 })
  await assertTold(t, rig, { posts: 100, allSeconds: 60 })
})

test('a little more than the rate for ten minutes is one storm', async (t) => {
  const rig = new StormRig(t, CHAT)
  rig.arrive({ count: 900, problems: 50, criticals: 0, seconds: 600 })
  await assertTold(t, rig, { posts: 90, edits: 75, allSeconds: 60 })
  assert.equal(rig.provider.account.digests.size, 1)
})

test('a chat that is unreachable for five minutes is told soon after its return', async (t) => {
  const rig = new StormRig(t, CHAT)
  rig.arrive({ ...TEN_THOUSAND, seconds: 60 })
  await rig.run(10)
  rig.provider.isDown = true
  await rig.run(300)
  rig.provider.isDown = false
  const [takenBefore, backMs] = [rig.provider.taken.length, rig.clock.elapsed()]
  await rig.run(600, () => rig.isTold)
  const firstMs = rig.provider.taken[takenBefore]?.atMs ?? assert.fail('nothing was sent')
  assert.ok(firstMs - backMs <= 30_000 + 200, `the first message came after ${firstMs - backMs} ms`)
  assert.ok(rig.clock.elapsed() - firstMs <= 20_000, `all was told after ${rig.clock.elapsed() - firstMs} ms`)
  assert.ok(rig.provider.posts <= 25, `${rig.provider.posts} posts`)
  await rig.run(1)
  assertCounted(rig)
})

test('messages that an earlier version left on disk are told within a minute of the start', async (t) => {
  const rig = new StormRig(t, CHAT, 'off')
  rig.provider.isDown = true
  rig.arrive({ ...TEN_THOUSAND, count: 20_000, seconds: 10 })
  await rig.run(10)
  rig.restart('on')
  rig.provider.isDown = false
  const readyMs = rig.clock.elapsed()
  await rig.run(600, () => rig.isTold)
  assert.ok(rig.clock.elapsed() - readyMs <= 60_000, `all was told after ${rig.clock.elapsed() - readyMs} ms`)
  assert.ok(rig.provider.posts <= 25, `${rig.provider.posts} posts`)
  await rig.run(1)
  assertCounted(rig)
})

test('while alerts are few, nothing differs from a service without digests', async (t) => {
  const runs = []
  for (const storms of ['on', 'off'] as const) {
    const rig = new StormRig(t, CHAT, storms)
    rig.arrive({ count: 60, problems: 5, criticals: 3, seconds: 600 })
    await rig.run(700)
    assert.equal(rig.provider.account.digests.size, 0)
    runs.push(rig.provider.taken)
  }
  assert.deepEqual(runs[0], runs[1])
})

/** Runs until the storm is over, and compares what came with the bounds. */
async function assertTold(t: TestContext, rig: StormRig, bounds: Bounds): Promise<void> {
  await rig.run(1_200, () => rig.isTold)
  await rig.run(300, () => rig.provider.account.over)
  const told = rig.ledger.told()
  const worst = (rows: typeof told) => Math.max(0, ...rows.map(({ afterMs }) => afterMs ?? Infinity)) / 1_000
  const criticals = told.filter(({ severity }) => severity === 'critical')
  const [critical, all] = [worst(criticals), worst(told)]
  t.diagnostic(`${rig.provider.posts} posts, ${rig.provider.edits} edits, criticals ${critical} s, all ${all} s`)
  assertCounted(rig)
  assert.ok(rig.provider.account.over, 'the storm has no summary')
  assert.equal(rig.provider.limited, 0)
  assert.ok(rig.provider.posts <= bounds.posts, `${rig.provider.posts} posts`)
  assert.ok(rig.provider.edits <= (bounds.edits ?? Infinity), `${rig.provider.edits} edits`)
  assert.ok(critical <= (bounds.criticalSeconds ?? Infinity), `a critical alert was told after ${critical} s`)
  assert.ok(all <= bounds.allSeconds, `an alert was told after ${all} s`)
}

/** Every alert is told once by what the provider took, and by the ledger. */
function assertCounted(rig: StormRig): void {
  assert.equal(rig.provider.account.told, rig.posted)
  assert.deepEqual(rig.provider.account.faults, [])
  const told = rig.ledger.told()
  assert.equal(told.length, rig.posted)
  assert.equal(told.filter(({ afterMs }) => afterMs === undefined).length, 0)
  assertNumbersOfRevisions(rig)
}

/** The text of each revision counts as many places as its row on the ledger. */
function assertNumbersOfRevisions(rig: StormRig): void {
  const read = new Map<string, number>()
  for (const { text } of rig.provider.taken) {
    const inText = revisionIn(text)
    if (inText) read.set(`${inText.digest}·${inText.revision}`, inText.alerts - inText.singly - inText.waiting)
  }
  for (const { digest, revision, through } of rig.ledger.revisions())
    assert.equal(read.get(`${digest}·${revision}`), through)
}
