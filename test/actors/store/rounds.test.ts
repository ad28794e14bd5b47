import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRounds } from '../../../actors/store/rounds.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

function given() {
  const clock = new ManualClock()
  const state = { committed: 0, rests: true }
  const rounds = createRounds({ clock, progress: state })
  /** Applies if it may; returns how long it has to wait. */
  const turn = (applied: number): number => {
    const ms = rounds.waitMs(applied)
    if (ms === 0) rounds.turn(applied, state.rests)
    return ms
  }
  return { clock, state, turn }
}

test('the first incidents after a rest are applied at once', () => {
  const { state, turn } = given()
  state.committed = 3
  assert.equal(turn(0), 0)
})

test('a round applies what was committed at its begin; what comes later waits for the next one', () => {
  const { clock, state, turn } = given()
  state.committed = 70
  assert.equal(turn(0), 0)
  state.committed = 140
  clock.advance(50)
  assert.equal(turn(20), 0, 'the round is under way')
  assert.equal(turn(70), 230)
  clock.advance(230)
  assert.deepEqual([turn(70), turn(80)], [0, 0])
  assert.equal(turn(140), 280)
})

test('there is no rest behind a few incidents, and a bounded one behind many', () => {
  const { state, turn } = given()
  state.committed = 63
  turn(0)
  assert.equal(turn(63), 0)
  state.committed = 1_000_000
  turn(63)
  assert.equal(turn(1_000_000), 400)
})

test('a time without incidents begins no round', () => {
  const { clock, state, turn } = given()
  assert.equal(turn(0), 0)
  clock.advance(100)
  state.committed = 1
  assert.equal(turn(0), 0)
})

test('there is no rest while someone may hear of an incident', () => {
  const { state, turn } = given()
  state.committed = 100
  state.rests = false
  assert.deepEqual([turn(0), turn(100)], [0, 0])
})
