import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApplyProgress } from '../../../actors/store/apply-progress.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

function given() {
  const clock = new ManualClock()
  const state = { applied: 0 }
  const journal = {
    progress: () => ({ applied: state.applied, released: 0, backlog: 0 }),
  }
  const shared = new SharedProgress(createProgressMemory())
  const published = createApplyProgress(shared, journal, clock)
  published.publish()
  return { clock, state, shared, published }
}

test('who waits for an incident is refused when that takes too long', async () => {
  const { clock, shared, published } = given()
  shared.setCommitted(9)
  const waiting = published.reached(5)
  clock.advance(60_000)
  await assert.rejects(waiting, { code: 'ask_timeout' })
  await published.reached(10)
})

test('a read waits for what was committed before it, but neither long nor for many', async () => {
  const { clock, state, shared, published } = given()
  let isAnswered = false
  const read = () => {
    isAnswered = false
    return published.soon().then(() => {
      isAnswered = true
    })
  }
  shared.setCommitted(2)
  const waiting = read()
  state.applied = 1
  published.publish()
  await Promise.resolve()
  assert.equal(isAnswered, false)
  shared.setCommitted(3)
  state.applied = 2
  published.publish()
  await waiting
  const late = read()
  clock.advance(300)
  await late
  shared.setCommitted(100_000)
  await read()
})
