import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRounds } from '../../../actors/store/rounds.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const ROUND_MS = 200

function given(roundMs = ROUND_MS) {
  const clock = new ManualClock()
  const state = { committed: 0, roundMs }
  const { waitMs, begin } = createRounds({ clock, progress: state, roundMs: () => state.roundMs })
  /** Applies if it may; returns how long it has to wait. */
  const turn = (applied: number): number => {
    const ms = waitMs(applied)
    if (ms === 0) begin(applied)
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
  state.committed = 3
  assert.equal(turn(0), 0)
  state.committed = 9
  clock.advance(50)
  assert.equal(turn(2), 0, 'the round is under way')
  assert.equal(turn(3), ROUND_MS - 50)
  clock.advance(ROUND_MS - 50)
  assert.equal(turn(3), 0)
  assert.equal(turn(8), 0)
  assert.equal(turn(9), ROUND_MS)
})

test('a time without incidents begins no round', () => {
  const { clock, state, turn } = given()
  assert.equal(turn(0), 0)
  clock.advance(ROUND_MS / 2)
  state.committed = 1
  assert.equal(turn(0), 0)
})

test('nothing waits while someone may hear of an incident', () => {
  const { state, turn } = given()
  state.committed = 1
  assert.equal(turn(0), 0)
  state.roundMs = 0
  assert.equal(turn(1), 0)
})
