import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIndexing } from '../../../actors/store/indexing.ts'
import { createMaintenance } from '../../../actors/store/maintenance.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

/** Indexing over a store with `waiting` incidents that are not indexed; `state.error` makes it fail. */
function given(waiting: number) {
  const clock = new ManualClock()
  const failures: unknown[] = []
  const state = { waiting, calls: 0, error: undefined as Error | undefined }
  const store = {
    index(maxRows: number) {
      state.calls++
      if (state.error) throw state.error
      const indexed = Math.min(maxRows, state.waiting)
      state.waiting -= indexed
      return indexed
    },
  }
  const indexing = createIndexing({ maintenance: store, clock, failed: (error) => failures.push(error) })
  const maintenance = createMaintenance([indexing], clock)
  maintenance.schedule()
  /** A transaction of storage; a turn ends with it. */
  function write(ms: number): void {
    indexing.recordWrite(ms)
    maintenance.schedule()
  }
  return { clock, failures, state, indexing, write }
}

test('in an idle store everything is indexed, and then no step runs any more', () => {
  const { clock, state } = given(1_000)
  clock.advance(1_000)
  assert.equal(state.waiting, 0)
  const { calls } = state
  clock.advance(3_600_000)
  assert.equal(state.calls, calls)
})

test('while transactions take half of the time nothing is indexed, and after that everything', () => {
  const { clock, state, write } = given(1_000)
  for (let ms = 0; ms < 2_000; ms += 10) {
    write(5)
    clock.advance(10)
  }
  assert.equal(state.calls, 0)
  clock.advance(10_000)
  assert.equal(state.waiting, 0)
})

test('during a search everything is indexed under any load, in less than half of the time', () => {
  const { clock, state, indexing, write } = given(5_000)
  indexing.searchStarted()
  for (let ms = 0; ms < 5_000; ms += 10) {
    write(5)
    clock.advance(10)
  }
  assert.equal(state.waiting, 0)
  assert.ok(state.calls <= 500, `${state.calls} calls in five seconds`)
  state.waiting = 1_000
  const { calls } = state
  for (let ms = 0; ms < 10_000; ms += 10) {
    write(5)
    clock.advance(10)
  }
  assert.equal(state.calls, calls)
})

test('under a light load a step runs now and then', () => {
  const { clock, state, write } = given(1_000)
  for (let ms = 0; ms < 1_000; ms += 10) {
    write(0.5)
    clock.advance(10)
  }
  assert.ok(state.calls >= 5 && state.calls <= 10, `${state.calls} calls in a second`)
})

test('a disk that refuses is reported once and tried again later; a bug is not tried again', () => {
  const { clock, state, failures } = given(1_000)
  state.error = new CodedError('storage_full')
  clock.advance(60_000)
  assert.equal(failures.length, 1)
  assert.ok(state.calls > 5 && state.calls < 20)
  state.error = undefined
  clock.advance(60_000)
  assert.equal(state.waiting, 0)
  const broken = given(1_000)
  broken.state.error = new Error('no such table')
  broken.clock.advance(60_000)
  broken.write(1)
  broken.clock.advance(60_000)
  assert.deepEqual([broken.state.calls, broken.failures.length], [1, 1])
})
