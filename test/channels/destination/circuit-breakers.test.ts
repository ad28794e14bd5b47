import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCircuitBreakers } from '../../../src/channels/destination/circuit-breakers.ts'
import type { Outcome } from '../../../src/domain/delivery/delivery.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const SENT: Outcome = { kind: 'sent' }
const REFUSED: Outcome = { kind: 'failed', reason: 'channel_not_found' }
const BROKEN: Outcome = { kind: 'retry', reason: 'HTTP 500' }
const PACED: Outcome = { kind: 'retry', reason: 'HTTP 429', afterMs: 2_000 }

function setup() {
  const clock = new ManualClock()
  const circuits = createCircuitBreakers({ failures: 3, openForMs: 30_000 }, clock)
  const record = (...outcomes: Outcome[]) => {
    for (const outcome of outcomes) circuits.record('main', outcome)
  }
  const state = () => circuits.states().find(({ destination }) => destination === 'main')?.state
  return { clock, circuits, record, state }
}

test('opens after failures in a row and returns when to ask again', () => {
  const { clock, circuits, record } = setup()
  record(BROKEN, BROKEN, SENT, BROKEN, BROKEN)
  assert.deepEqual(circuits.admit('main'), { kind: 'admitted' })
  record(BROKEN)
  clock.advance(10_000)
  assert.deepEqual(circuits.admit('main'), { kind: 'open', retryAfterMs: 20_000 })
  assert.deepEqual(circuits.admit('another'), { kind: 'admitted' })
})

test('lets one probe pass after openForMs; success closes it', () => {
  const { clock, circuits, record, state } = setup()
  record(BROKEN, BROKEN, BROKEN)
  clock.advance(30_000)
  assert.deepEqual(circuits.admit('main'), { kind: 'admitted' })
  assert.deepEqual([circuits.admit('main'), state()], [{ kind: 'probing' }, 'half_open'])
  record(SENT)
  assert.deepEqual([circuits.admit('main'), state()], [{ kind: 'admitted' }, 'closed'])
})

test('a probe that fails opens it again', () => {
  const { clock, circuits, record, state } = setup()
  record(BROKEN, BROKEN, BROKEN)
  clock.advance(30_000)
  circuits.admit('main')
  record(BROKEN)
  assert.deepEqual([circuits.admit('main'), state()], [{ kind: 'open', retryAfterMs: 30_000 }, 'open'])
})

test('a probe without an outcome counts as lost after two minutes, and another may go', () => {
  const { clock, circuits, record } = setup()
  record(BROKEN, BROKEN, BROKEN)
  clock.advance(30_000)
  circuits.admit('main')
  clock.advance(120_000)
  assert.deepEqual([circuits.isProbing('main'), circuits.admit('main')], [false, { kind: 'admitted' }])
})

test('a refusal closes the circuit, and so does a delay that the provider named', () => {
  const { clock, circuits, record, state } = setup()
  record(REFUSED, REFUSED, REFUSED, REFUSED, PACED, PACED, PACED, PACED)
  assert.equal(state(), 'closed')
  for (const alive of [REFUSED, PACED]) {
    record(BROKEN, BROKEN, BROKEN)
    clock.advance(30_000)
    circuits.admit('main')
    record(alive)
    assert.equal(state(), 'closed')
  }
})

test('outcomes of sends that were under way when it opened do not keep it open longer', () => {
  const { clock, circuits, record } = setup()
  record(BROKEN, BROKEN, BROKEN)
  clock.advance(20_000)
  record(BROKEN)
  clock.advance(10_000)
  assert.deepEqual(circuits.admit('main'), { kind: 'admitted' })
})
