import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDeferral } from '../../../src/channels/destination/deferral.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

/** One message a second and a burst of two: twelve deliveries may wait in memory. */
const RATE = { perSecond: 1, burst: 2 }
const IN_MEMORY = 12

function setup() {
  const clock = new ManualClock()
  const deferral = createDeferral(RATE, clock)
  const fill = (destination: string) => {
    for (let n = 0; n < IN_MEMORY; n++) deferral.enter(destination)
  }
  return { clock, deferral, fill }
}

test('deliveries enter until those in memory need 10 s; others get start times at the rate', () => {
  const { deferral, fill } = setup()
  assert.equal(deferral.deferMs('main', 1), 0)
  fill('main')
  const delays = [13, 14, 15].map((incident) => deferral.deferMs('main', incident))
  assert.deepEqual(delays, [10_000, 11_000, 12_000])
  assert.equal(deferral.deferMs('another', 16), 0)
})

test('a delivery that comes back at its start time takes no new one', () => {
  const { clock, deferral, fill } = setup()
  fill('main')
  deferral.deferMs('main', 13)
  deferral.deferMs('main', 14)
  clock.advance(10_000)
  deferral.leave('main')
  assert.equal(deferral.deferMs('main', 13), 0)
  assert.equal(deferral.deferMs('main', 15), 2_000)
})

test('a suspended destination lets none enter and starts anew at its end, at the rate', () => {
  const { clock, deferral } = setup()
  deferral.suspend('main', 30_000)
  deferral.suspend('main', 5_000)
  assert.deepEqual([deferral.deferMs('main', 1), deferral.deferMs('main', 2)], [30_000, 31_000])
  clock.advance(30_000)
  assert.deepEqual([deferral.deferMs('main', 1), deferral.deferMs('main', 2)], [0, 0])
})
