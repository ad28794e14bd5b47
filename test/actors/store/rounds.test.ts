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
  state.committed = 30
  assert.equal(turn(0), 0)
  state.committed = 90
  clock.advance(50)
  assert.equal(turn(20), 0, 'the round is under way')
  assert.equal(turn(30), 70)
  clock.advance(70)
  assert.deepEqual([turn(30), turn(80)], [0, 0])
  assert.equal(turn(90), 240)
})

test('the rest is short behind a few incidents, and bounded behind many', () => {
  const { clock, state, turn } = given()
  state.committed = 1
  turn(0)
  assert.equal(turn(1), 4)
  clock.advance(4)
  state.committed = 1_000_000
  turn(1)
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
