import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Lifecycle } from '../../src/kernel/supervision/lifecycle.ts'
import { ManualClock } from '../harness/manual-clock.ts'

function started() {
  const clock = new ManualClock()
  const failed: string[] = []
  const ran: string[] = []
  const lifecycle = new Lifecycle(clock, { failed: (step, error) => failed.push(`${step}: ${error}`) })
  const hang = () => new Promise(() => {})
  return { clock, failed, ran, lifecycle, hang }
}

test('steps run last-in first-out, each after the one before has ended', async () => {
  const { lifecycle, ran } = started()
  lifecycle.push('store', () => ran.push('store'))
  lifecycle.push('front', async () => {
    ran.push('front begins')
    await nextTurn()
    ran.push('front ends')
  })
  await lifecycle.close(1_000)
  assert.deepEqual(ran, ['front begins', 'front ends', 'store'])
})

test('a step that fails, at once or later, is reported and does not stop the others', async () => {
  const { lifecycle, ran, failed } = started()
  lifecycle.push('store', () => ran.push('store'))
  lifecycle.push('later', () => Promise.reject(new Error('rejected')))
  lifecycle.push('at once', () => {
    throw new Error('thrown')
  })
  await lifecycle.close(1_000)
  assert.deepEqual(ran, ['store'])
  assert.deepEqual(failed, ['at once: Error: thrown', 'later: Error: rejected'])
})

test('the deadline is shared: a step that hangs uses it up, and the remaining steps are still started', async () => {
  const { lifecycle, clock, ran, failed, hang } = started()
  lifecycle.push('store', () => ran.push('store'))
  lifecycle.push('hangs too', hang)
  lifecycle.push('hangs', hang)
  const closing = lifecycle.close(1_000)
  await nextTurn()
  assert.deepEqual(clock.dueInMs, [1_000])
  clock.advance(1_000)
  await nextTurn()
  assert.deepEqual(clock.dueInMs, [0])
  clock.advance(0)
  await closing
  assert.deepEqual(ran, ['store'])
  assert.deepEqual(failed, [
    'hangs: Error: hangs did not end within 1000 ms',
    'hangs too: Error: hangs too did not end within 0 ms',
  ])
  assert.deepEqual(clock.dueInMs, [])
})

test('a step that fails after it was given up causes no unhandled rejection', async () => {
  const { lifecycle, clock, failed } = started()
  let fail = (_: Error) => {}
  lifecycle.push('slow', () => new Promise((_, reject) => (fail = reject)))
  const closing = lifecycle.close(10)
  await nextTurn()
  clock.advance(10)
  await closing
  fail(new Error('too late'))
  await nextTurn()
  assert.equal(failed.length, 1)
})

test('closing twice, also at once, is closing once', async () => {
  const { lifecycle, ran } = started()
  lifecycle.push('store', () => ran.push('store'))
  await Promise.all([lifecycle.close(1_000), lifecycle.close(1)])
  await lifecycle.close(1_000)
  assert.deepEqual(ran, ['store'])
})

test('a step pushed by a step that runs is run', async () => {
  const { lifecycle, ran } = started()
  lifecycle.push('front', () => lifecycle.push('late arrival', () => ran.push('late arrival')))
  await lifecycle.close(1_000)
  assert.deepEqual(ran, ['late arrival'])
})
