import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StormLimits, stormParameters } from '../../src/policy/storm-parameters.ts'
import { randomFrom } from '../harness/random.ts'
import { type Arrival, run, type Scenario } from './simulated-destination.ts'
import type { Report } from './simulation-report.ts'

const SEEDS = 20
const CHAT: StormLimits = {
  rate: { perSecond: 1, burst: 4 },
  reading: { perSecond: 1, burst: 4 },
  withinMs: 60_000,
  edits: true,
  maxBacklog: 100_000,
}
const WITHOUT_EDITS = { ...CHAT, edits: false }
const SLOW_CHAT = { ...CHAT, rate: { perSecond: 0.33, burst: 5 }, reading: { perSecond: 0.33, burst: 5 } }
const MAIL: StormLimits = {
  ...WITHOUT_EDITS,
  rate: { perSecond: 10, burst: 20 },
  reading: { perSecond: 0.5, burst: 20 },
  withinMs: 300_000,
}

type Make = (random: () => number) => Omit<Scenario, 'random' | 'answerMs'>

/** Most posts and edits, and the longest times in seconds, that a scenario may come to with any seed. */
interface Limits {
  readonly posts: number
  readonly edits?: number
  readonly within: number
  readonly urgentWithin?: number
  /** Most requests in a minute after the burst is spent. */
  readonly aMinute?: number
}

const SCENARIOS: { readonly [name: string]: { readonly make: Make; readonly limits: Limits } } = {
  'ten thousand alerts of 55 problems within a second': {
    make: (random) => ({ settings: CHAT, arrivals: alerts({ lengthMs: 1_000, random }) }),
    limits: { posts: 40, edits: 5, within: 30, urgentWithin: 5 },
  },
  'ten thousand alerts within a minute': {
    make: (random) => ({ settings: CHAT, arrivals: alerts({ lengthMs: 60_000, random }) }),
    limits: { posts: 40, edits: 12, within: 30, urgentWithin: 5 },
  },
  'ten thousand alerts within ten minutes': {
    make: (random) => ({ settings: CHAT, arrivals: alerts({ lengthMs: 600_000, random }) }),
    limits: { posts: 50, edits: 75, within: 30, urgentWithin: 5 },
  },
  'a channel that cannot edit': {
    make: (random) => ({ settings: WITHOUT_EDITS, arrivals: alerts({ lengthMs: 60_000, random }) }),
    limits: { posts: 40, edits: 0, within: 60, urgentWithin: 5 },
  },
  'mail, which is sent faster than it is read': {
    make: (random) => ({ settings: MAIL, arrivals: alerts({ lengthMs: 60_000, random }) }),
    limits: { posts: 60, edits: 0, within: 300, urgentWithin: 5 },
  },
  'a chat that takes twenty messages and edits a minute': {
    make: (random) => ({ settings: SLOW_CHAT, arrivals: alerts({ lengthMs: 60_000, random }) }),
    limits: { posts: 30, within: 60, urgentWithin: 12, aMinute: 20 },
  },
  'the same chat, all within a second': {
    make: (random) => ({ settings: SLOW_CHAT, arrivals: alerts({ lengthMs: 1_000, random }) }),
    limits: { posts: 30, within: 60, urgentWithin: 12, aMinute: 20 },
  },
  'every alert is a problem of its own': {
    make: (random) => ({ settings: CHAT, arrivals: alerts({ lengthMs: 60_000, problems: 1e9, urgent: 0, random }) }),
    limits: { posts: 60, within: 60 },
  },
  'every alert is an urgent problem of its own': {
    make: (random) => ({ settings: CHAT, arrivals: alerts({ lengthMs: 60_000, urgent: 10_000, random }) }),
    limits: { posts: 100, within: 60, urgentWithin: 5 },
  },
  'ten minutes just above the rate': {
    make: (random) => ({ settings: CHAT, arrivals: alerts({ count: 900, urgent: 0, lengthMs: 600_000, random }) }),
    limits: { posts: 90, edits: 75, within: 60 },
  },
}

for (const [name, { make, limits }] of Object.entries(SCENARIOS)) {
  test(`${name}: few messages, all in time, in one storm`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const report = simulated(make, seed)
      const about = `seed ${seed}`
      const { posts, edits = Infinity, within, urgentWithin = Infinity, aMinute = Infinity } = limits
      assertConserved(report, about)
      assert.equal(report.storms, 1, about)
      assert.ok(report.posts <= posts, `${about}: ${report.posts} posts`)
      assert.ok(report.edits <= edits, `${about}: ${report.edits} edits`)
      assert.ok(report.worstMs <= within * 1_000, `${about}: told after ${report.worstMs} ms`)
      assert.ok(report.worstUrgentMs <= urgentWithin * 1_000, `${about}: urgent after ${report.worstUrgentMs} ms`)
      assert.ok(report.busiestMinute(30_000) <= aMinute, `${about}: ${report.busiestMinute(30_000)} a minute`)
    }
  })
}

test('an outage of five minutes ends in one digest, soon after the provider is back', () => {
  const outage = { from: 10_000, to: 310_000 }
  for (let seed = 1; seed <= SEEDS; seed++) {
    const report = simulated(
      (random) => ({ settings: CHAT, arrivals: alerts({ lengthMs: 60_000, random }), outage }),
      seed,
    )
    assertConserved(report, `seed ${seed}`)
    assert.ok(report.worstAfterOutageMs <= 20_000, `seed ${seed}: ${report.worstAfterOutageMs} ms`)
    const after = report.sends.filter(({ at }) => at >= outage.to)
    assert.ok(after.length <= 25, `seed ${seed}: ${after.length} messages after the outage`)
  }
})

test('five thousand alerts a second are told in time and stay far below the quota', () => {
  const random = randomFrom(1)
  const settings = { ...CHAT, maxBacklog: 100_000 }
  const arrivals = alerts({ count: 300_000, lengthMs: 60_000, random })
  const report = run({ settings, arrivals, random, answerMs: [80, 400] })
  assertConserved(report, 'flood')
  assert.ok(report.worstMs <= 60_000, `told after ${report.worstMs} ms`)
  assert.ok(report.mostUntold <= settings.maxBacklog / 2, `${report.mostUntold} untold`)
})

test('a destination that gets less than its rate has no storm', () => {
  const random = randomFrom(1)
  const arrivals = Array.from({ length: 60 }, (_, n): Arrival => firing(n * 10_000, n % 6))
  const report = run({ settings: CHAT, arrivals, random, answerMs: [80, 400] })
  assert.deepEqual(
    { storms: report.storms, posts: report.posts, edits: report.edits },
    { storms: 0, posts: 60, edits: 0 },
  )
})

test('where a machine reads there are no storms', () => {
  assert.equal(stormParameters({ ...CHAT, reading: { perSecond: 20.1, burst: 20 } }), undefined)
  assert.notEqual(stormParameters({ ...CHAT, reading: { perSecond: 20, burst: 20 } }), undefined)
})

function simulated(make: Make, seed: number): Report {
  const random = randomFrom(seed)
  return run({ ...make(random), random, answerMs: [80, 400] })
}

function assertConserved({ arrived, told, folded, singles }: Report, about: string): void {
  assert.deepEqual({ told, accounted: folded + singles }, { told: arrived, accounted: arrived }, about)
}

interface Flood {
  readonly count?: number
  /** Number of problems that are not urgent. Each urgent alert is a problem of its own. */
  readonly problems?: number
  readonly urgent?: number
  readonly lengthMs: number
  readonly random: () => number
}

function alerts({ count = 10_000, problems = 50, urgent = 5, lengthMs, random }: Flood): Arrival[] {
  const all = Array.from({ length: count }, (_, n): Arrival => {
    const at = random() * lengthMs
    return n < urgent ? { ...firing(at, -1 - n), priority: 'high' } : firing(at, Math.floor(random() * problems))
  })
  return all.sort((one, other) => one.at - other.at)
}

function firing(at: number, problem: number): Arrival {
  return { at, problem, priority: 'normal', status: 'firing' }
}
