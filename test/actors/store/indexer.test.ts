import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIndexer } from '../../../actors/store/indexer.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { ManualClock } from '../../../src/kernel/clock.ts'

/** An index over a store that has so many incidents to take in; `index` may be told to fail. */
function given(waiting: number) {
  const clock = new ManualClock()
  const failures: unknown[] = []
  const state = { waiting, calls: 0, fault: undefined as Error | undefined }
  const maintenance = {
    index(maxRows: number) {
      state.calls++
      if (state.fault) throw state.fault
      const taken = Math.min(maxRows, state.waiting)
      state.waiting -= taken
      return taken
    },
  }
  const indexer = createIndexer({ maintenance, clock, failed: (error) => failures.push(error) })
  return { clock, failures, state, indexer }
}

test('what is waiting is taken in when nothing else happens, and then nothing is done', () => {
  const { clock, state } = given(1_000)
  clock.advance(1_000)
  assert.equal(state.waiting, 0)
  const { calls } = state
  clock.advance(3_600_000)
  assert.equal(state.calls, calls)
})

test('while storage is busy with writing nothing is taken in, and after that everything', () => {
  const { clock, state, indexer } = given(1_000)
  for (let ms = 0; ms < 2_000; ms += 10) {
    indexer.recordWrite(5)
    clock.advance(10)
  }
  assert.equal(state.calls, 0)
  clock.advance(10_000)
  assert.equal(state.waiting, 0)
})

test('while somebody searches, all is taken in however busy storage is, in less than half of its time', () => {
  const { clock, state, indexer } = given(5_000)
  indexer.searchStarted()
  for (let ms = 0; ms < 5_000; ms += 10) {
    indexer.recordWrite(5)
    clock.advance(10)
  }
  assert.equal(state.waiting, 0)
  assert.ok(state.calls <= 500, `${state.calls} calls in five seconds`)
  state.waiting = 1_000
  const { calls } = state
  for (let ms = 0; ms < 10_000; ms += 10) {
    indexer.recordWrite(5)
    clock.advance(10)
  }
  assert.equal(state.calls, calls)
})

test('under a light load a little is taken in now and then', () => {
  const { clock, state, indexer } = given(1_000)
  for (let ms = 0; ms < 1_000; ms += 10) {
    indexer.recordWrite(0.5)
    clock.advance(10)
  }
  assert.ok(state.calls >= 5 && state.calls <= 10, `${state.calls} calls in a second`)
})

test('a disk that refuses is tried again later and told of once; a fault of ours is not tried again', () => {
  const { clock, state, failures } = given(1_000)
  state.fault = new CodedError('storage_full')
  clock.advance(60_000)
  assert.equal(failures.length, 1)
  assert.ok(state.calls > 5 && state.calls < 20)
  state.fault = undefined
  clock.advance(60_000)
  assert.equal(state.waiting, 0)
  const broken = given(1_000)
  broken.state.fault = new Error('no such table')
  broken.clock.advance(60_000)
  broken.indexer.recordWrite(1)
  broken.clock.advance(60_000)
  assert.deepEqual([broken.state.calls, broken.failures.length], [1, 1])
})

test('one that is closed does nothing any more', () => {
  const { clock, state, indexer } = given(1_000)
  indexer.close()
  indexer.recordWrite(1)
  clock.advance(60_000)
  assert.equal(state.calls, 0)
})
