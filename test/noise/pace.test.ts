import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Rate } from '../../src/channels/channel.ts'
import { createTokenBuckets, type Place } from '../../src/channels/destination/token-buckets.ts'
import { RANK, type Rank } from '../../src/domain/delivery/dispatch.ts'
import { forever } from '../channels/setup.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { randomFrom } from '../harness/random.ts'
import { StormRig } from './storm-rig.ts'

const RUNS = 4
const MAX_KILLS = 3
/** Urgent messages and digests that may go in a row while another message waits. */
const MAX_RUN = 3

for (let seed = 1; seed <= RUNS; seed++)
  test(`no destination is sent more than its burst and its rate allow, edits and kills included (${seed})`, (t) =>
    paced(t, randomFrom(seed * 7_919)))

async function paced(t: TestContext, random: () => number): Promise<void> {
  const rate = { perSecond: 0.2 * 10 ** random(), burst: 1 + Math.floor(random() * 6) }
  const channel = random() < 0.5 ? 'chatws' : 'messenger'
  const rig = new StormRig(t, { channel, rate })
  const problems = 1 + Math.floor(random() * 200)
  rig.arrive({ count: 300 + Math.floor(random() * 1_500), problems, criticals: 9, seconds: 1 + random() * 90 })
  const killedAtMs: number[] = []
  for (let kill = Math.floor(random() * (MAX_KILLS + 1)); kill > 0; kill--) {
    await rig.run(40 * random())
    rig.restart()
    killedAtMs.push(rig.clock.elapsed())
  }
  await rig.run(2_400, () => rig.isTold && rig.provider.account.over)
  assert.equal(rig.provider.account.told, rig.posted)
  const sentAtMs = rig.provider.taken.map(({ atMs }) => atMs)
  assert.ok(sentAtMs.length > rate.burst + 2, `${sentAtMs.length} messages`)
  assert.deepEqual(aboveRate(sentAtMs, killedAtMs, rate), [])
  t.diagnostic(`${sentAtMs.length} messages and edits, ${killedAtMs.length} kills`)
}

/** Returns the stretches in which more was sent than is allowed. A process that starts again has a full bucket. */
function aboveRate(sentAtMs: readonly number[], killedAtMs: readonly number[], rate: Rate): string[] {
  return sentAtMs.flatMap((from, first) =>
    sentAtMs.slice(first).flatMap((to, more) => {
      const lives = 1 + killedAtMs.filter((at) => at > from && at <= to).length
      // Timers are whole milliseconds, so a message may be one early or late against another.
      const allowed = lives * rate.burst + (rate.perSecond * (to - from + 1)) / 1_000
      return more + 1 > allowed + 1e-6 ? [`${more + 1} from ${from} to ${to} ms, ${allowed} allowed`] : []
    }),
  )
}

const step = fc.record({
  pauseMs: fc.constantFrom(0, 0, 0, 200, 1_000, 4_000),
  rank: fc.constantFrom<Rank>(RANK.urgent, RANK.urgent, RANK.urgent, RANK.urgent, RANK.digest, RANK.normal, RANK.low),
  storm: fc.boolean(),
})

test('never more than three urgent messages and digests in a row pass another message that waits', async () => {
  let longest = 0
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
    const clock = new ManualClock()
    const buckets = createTokenBuckets({ perSecond: 1, burst: 3 }, clock)
    const waiting = new Set<Place>()
    const granted: Place[] = []
    let run = 0
    const settle = async () => {
      await new Promise<void>((resolve) => setImmediate(resolve))
      for (const place of granted.splice(0)) {
        waiting.delete(place)
        const isAhead = place.rank <= RANK.digest
        const passes = isAhead && [...waiting].some(({ rank }) => rank > RANK.digest)
        run = passes ? run + 1 : 0
        longest = Math.max(longest, run)
        assert.ok(run <= MAX_RUN, `${run} in a row`)
      }
    }
    const pass = async (ms: number) => {
      // One token at a time: what waits at its grant is what waits here.
      for (let left = ms; left > 0; left -= 100) {
        clock.advance(Math.min(left, 100))
        await settle()
      }
    }
    for (const { pauseMs, rank, storm } of steps) {
      await pass(pauseMs)
      const place: Place = storm ? { rank, storm } : { rank }
      waiting.add(place)
      void buckets.acquire('chat', forever, place).then(() => granted.push(place))
      await settle()
    }
    await pass(120_000)
    assert.equal(waiting.size, 0)
  })
  await fc.assert(property, { seed: 20_300_101, numRuns: 30, includeErrorInReport: true })
  assert.equal(longest, MAX_RUN)
})
