import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { FallbackRig } from './fallback-rig.ts'

const STORM = { count: 10_000, problems: 50, criticals: 5 }
const FAILOVER_AFTER_S = 120

test('a storm at a chat that refuses is told by mail: the criticals at once, all in few mails', async (t) => {
  const rig = new FallbackRig(t)
  rig.chat.trouble = 'refuses'
  await rig.arrive(STORM)
  await rig.run(600, () => rig.isTold)
  assertTold(t, rig)
  const criticals = rig.criticalMailsMs
  assert.equal(criticals.length, STORM.criticals)
  assert.ok(Math.max(...criticals) <= 5_000, `a critical was mailed after ${Math.max(...criticals)} ms`)
  assert.deepEqual(rig.service.states('chatws'), { dead: STORM.count })
})

test('a storm at a chat that never answers is told by mail when its circuit was open for long enough', async (t) => {
  const rig = new FallbackRig(t)
  rig.chat.trouble = 'hangs'
  await rig.arrive(STORM)
  await rig.run(FAILOVER_AFTER_S - 1)
  assert.equal(rig.mail.posts, 0)
  await rig.run(600, () => rig.isTold)
  assertTold(t, rig)
  // The circuit opens with the fifth attempt in a row that reached its deadline of 10 s.
  const circuitMs = 20_000
  const latest = Math.max(...rig.criticalMailsMs) - circuitMs
  assert.ok(latest <= (FAILOVER_AFTER_S + 5) * 1_000, `a critical was mailed ${latest} ms after the circuit opened`)
  rig.chat.trouble = undefined
  await rig.run(600, () => rig.chat.account.told === STORM.count)
  await rig.run(1)
  assert.equal(rig.chat.account.told, STORM.count)
  assert.deepEqual(rig.service.states('chatws'), { sent: STORM.count })
  assert.deepEqual(rig.service.states('email'), { sent: STORM.count })
})

for (const trouble of ['refuses', 'hangs'] as const)
  test(`killed ten times while a chat ${trouble}: every alert is told by mail, and counted once`, async (t) => {
    const rig = new FallbackRig(t)
    rig.chat.trouble = trouble
    await rig.arrive({ ...STORM, count: 2_000 })
    for (let kill = 0; kill < 10; kill++) {
      await rig.run(trouble === 'hangs' ? 25 : 0.4 * kill)
      rig.restart()
    }
    await rig.run(1_200, () => rig.isTold)
    await rig.run(1)
    assert.equal(rig.mail.account.told, 2_000)
    assert.deepEqual(rig.mail.account.faults, [])
    assert.deepEqual(rig.service.states('email'), { sent: 2_000 })
  })

function assertTold(t: TestContext, rig: FallbackRig): void {
  const { posts, account } = rig.mail
  t.diagnostic(`${posts} mails, criticals after ${rig.criticalMailsMs.join(', ')} ms`)
  assert.equal(account.told, STORM.count)
  assert.deepEqual(account.faults, [])
  assert.ok(posts <= 55, `${posts} mails`)
}
