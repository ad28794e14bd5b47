import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StormLimits, stormParameters } from '../../src/policy/bundles/storm-parameters.ts'
import { randomFrom } from '../harness/random.ts'
import { type Arrival, run } from './simulated-destination.ts'

const STORMS = 20
const MAX_ANSWER_MS = 200
const MAX_ALERTS = 30_000

test(`the bounds hold in ${STORMS} random storms, at rates from one message in 20 s to two a second`, () => {
  for (let seed = 1; seed <= STORMS; seed++) {
    const random = randomFrom(seed * 7919)
    const settings = randomSettings(random)
    const parameters = stormParameters(settings)
    assert.ok(parameters)
    const report = run({ settings, arrivals: randomArrivals(settings, random), random, answerMs: [20, MAX_ANSWER_MS] })
    const about = `seed ${seed}, ${JSON.stringify(settings)}`
    const { arrived, told, folded, singles } = report
    assert.deepEqual({ told, accounted: folded + singles }, { told: arrived, accounted: arrived }, about)
    assert.ok(report.worstMs <= parameters.boundMs + MAX_ANSWER_MS, `${about}: ${report.worstMs} ms`)
    assert.ok(report.worstUrgentMs <= parameters.urgentBoundMs + MAX_ANSWER_MS, `${about}: ${report.worstUrgentMs} ms`)
  }
})

function randomSettings(random: () => number): StormLimits {
  const rate = { perSecond: 0.05 * 40 ** random(), burst: 1 + Math.floor(random() * 8) }
  const edits = random() < 0.5
  const reading = random() < 0.5 ? rate : { perSecond: 0.05 * 40 ** random(), burst: 1 + Math.floor(random() * 8) }
  const withinMs = random() < 0.5 ? 60_000 : 10_000 + random() * 110_000
  return { rate, reading, edits, withinMs, maxBacklog: 100_000 }
}

/** Returns up to six phases with pauses between them, each at a tenth to a thousand times of the rate. */
function randomArrivals({ rate }: StormLimits, random: () => number): Arrival[] {
  const arrivals: Arrival[] = []
  const phases = 1 + Math.floor(random() * 6)
  const problems = 1 + Math.floor(1_000 ** random())
  const shares = { urgent: random() ** 3 * 0.5, low: random() * 0.3, resolved: random() * 0.3 }
  let at = 0
  for (let phase = 0; phase < phases; phase++) {
    const perSecond = rate.perSecond * 10 ** (random() * 4 - 1)
    const end = at + Math.min(random() * 400_000, 8_000_000 / perSecond)
    while (at < end && arrivals.length < MAX_ALERTS) {
      at += (-Math.log(1 - random()) / perSecond) * 1_000
      const urgent = random() < shares.urgent
      arrivals.push({
        at,
        problem: Math.floor(random() * problems) + (urgent ? problems : 0),
        priority: urgent ? 'high' : random() < shares.low ? 'low' : 'normal',
        status: random() < shares.resolved ? 'resolved' : 'firing',
      })
    }
    at += random() * 100_000
  }
  return arrivals
}
