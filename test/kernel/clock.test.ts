import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJumpDetector, systemClock } from '../../src/kernel/clock.ts'
import { ManualClock } from '../harness/manual-clock.ts'

test('timers fire in order of due time, and timers of one time in the order in which they were set', () => {
  const clock = new ManualClock()
  const fired: string[] = []
  clock.setTimer(20, () => fired.push('late'))
  clock.setTimer(10, () => fired.push('first'))
  clock.setTimer(10, () => fired.push('second'))
  clock.advance(9)
  assert.deepEqual(fired, [])
  clock.advance(11)
  assert.deepEqual(fired, ['first', 'second', 'late'])
})

test('a timer sees its due time, and a timer that it sets fires in the same advance when due', () => {
  const clock = new ManualClock(1_000)
  const seen: number[] = []
  clock.setTimer(10, () => {
    seen.push(clock.now())
    clock.setTimer(5, () => seen.push(clock.now()))
  })
  clock.advance(20)
  assert.deepEqual(seen, [1_010, 1_015])
  assert.equal(clock.elapsed(), 20)
})

test('the system clock fires, cancels, and keeps a delay of months from firing at once', async () => {
  const months = systemClock.setTimer(2 ** 40, () => assert.fail('fired at once'))
  const cancelled = systemClock.setTimer(0, () => assert.fail('was cancelled'))
  cancelled.cancel()
  await new Promise<void>((resolve) => systemClock.setTimer(-1, resolve))
  await new Promise<void>((resolve) => systemClock.setTimer(2, resolve))
  months.cancel()
})

test('a wall clock that is set is reported once, with the difference; one that is slewed is not', () => {
  const clock = new ManualClock()
  const jumps = createJumpDetector(clock)
  clock.advance(3_600_000)
  assert.equal(jumps(), 0)
  clock.jump(-7_200_000)
  clock.advance(10)
  assert.deepEqual([jumps(), jumps()], [-7_200_000, 0])
  clock.jump(400)
  assert.equal(jumps(), 0)
  clock.jump(700)
  assert.equal(jumps(), 1_100)
})
