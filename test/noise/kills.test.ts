import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CHAT_LIMITS } from '../../src/simulator/limit.ts'
import { revisionIn } from '../harness/noise/digest-account.ts'
import { randomFrom } from '../harness/random.ts'
import { StormRig } from './storm-rig.ts'

const KILLS = 20
const POSTS = 40
/** On the wire there are four messages at most, and one digest. */
const POSTS_A_KILL = 5

for (const seconds of [1, 60])
  for (const seed of [1, 2, 3])
    test(`killed ${KILLS} times while 10,000 alerts arrive in ${seconds} s and are told (${seed})`, (t) =>
      killed(t, { seconds, random: randomFrom(seed) }))

async function killed(t: TestContext, { seconds, random }: { seconds: number; random: () => number }): Promise<void> {
  const rig = new StormRig(t, { channel: 'chatws', limit: { ...CHAT_LIMITS.chatws, burst: 100 } })
  rig.arrive({ count: 10_000, problems: 50, criticals: 5, seconds })
  for (let kill = 0; kill < KILLS; kill++) {
    await rig.run(((seconds + 20) / KILLS) * 2 * random())
    rig.restart()
  }
  await rig.run(1_200, () => rig.isTold)
  await rig.run(300, () => rig.provider.account.over)
  const { account, posts } = rig.provider
  assert.equal(account.told, rig.posted)
  assert.deepEqual(account.faults, [])
  assert.ok(posts <= POSTS + KILLS * POSTS_A_KILL, `${posts} posts`)
  const repeated = assertRepeatsFlagged(rig)
  t.diagnostic(`${posts} posts, ${rig.provider.edits} edits, ${repeated} came twice`)
}

/** A message that came twice is flagged: on the ledger, or in the text of the digest. Returns the number of these. */
function assertRepeatsFlagged(rig: StormRig): number {
  const flagged = rig.ledger.flagged()
  const seen = new Set<string>()
  let repeated = 0
  for (const { text } of rig.provider.taken.filter(({ way }) => way === 'post')) {
    const revision = revisionIn(text)
    const nth = Number(/\bn(\d+)e\b/.exec(text)?.[1])
    const key = revision ? `${revision.digest}·${revision.revision}` : `${nth}`
    const isFlagged = revision ? revision.repeated : flagged.has(nth)
    assert.ok(!seen.has(key) || isFlagged, `${key} came twice without a flag`)
    if (seen.has(key)) repeated++
    seen.add(key)
  }
  return repeated
}
