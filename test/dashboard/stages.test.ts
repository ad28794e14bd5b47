import assert from 'node:assert/strict'
import test from 'node:test'
import type { AttemptRecord } from '../../src/api/attempt.ts'
import type { DeliveryDetail } from '../../src/api/delivery.ts'
import type { IncidentDetail } from '../../src/api/incident.ts'
import { partsOf, timelineRowsOf } from '../../static/pages/incidents/stages.ts'

const RECEIVED = Date.UTC(2026, 2, 9)
const at = (ms: number) => new Date(RECEIVED + ms).toISOString()

/** Committed after 2 ms, handed out after 5, rendered for 3 behind 1 in a queue, held by the limiter for 4, at the provider for 20. */
const ATTEMPT: AttemptRecord = {
  number: 1,
  outcome: 'sent',
  detail: '',
  message_id: null,
  may_duplicate: false,
  render_fault: null,
  committed_at: at(2),
  handed_out_at: at(5),
  started_at: at(13),
  queued_ms: 1,
  render_ms: 3,
  limiter_wait_ms: 4,
  connected_ms: 6,
  confirmed_ms: 20,
  duration_ms: 20,
}

function incident(attempts: readonly AttemptRecord[], state: DeliveryDetail['state'] = 'sent'): IncidentDetail {
  const delivery = { channel: 'chatws', state, attempts }
  const stages = { received_at: at(0), committed_at: at(2), first_attempt_at: null, notified_at: null }
  return { stages, deliveries: [delivery] } as unknown as IncidentDetail
}

test('the stages of an attempt lie behind each other and add up to the time from arrival to the answer', () => {
  const [commit, lane] = timelineRowsOf(incident([ATTEMPT]))
  assert.deepEqual([commit?.end, lane?.end, lane?.unfinished], [2, 33, false])
  let from = commit?.end
  for (const stretch of lane?.spans ?? []) {
    assert.equal(stretch.from, from)
    from = stretch.from + stretch.ms
  }
  assert.equal(from, 33)
  assert.deepEqual(
    lane?.spans.map(({ stage }) => stage),
    ['wait', 'queue', 'render', 'limiter', 'connect', 'provider'],
  )
})

test('a second attempt stands where it was made, and the time between is empty', () => {
  const again = { ...ATTEMPT, number: 2, handed_out_at: at(1_000), started_at: at(1_008) }
  const lane = timelineRowsOf(incident([ATTEMPT, again], 'pending'))[1]
  assert.deepEqual([lane?.end, lane?.unfinished], [1_028, true])
  assert.equal(lane?.spans.find(({ from }) => from > 33)?.from, 1_000)
})

test('stages that took no time are left out, and a delivery that was not attempted has none', () => {
  const parts = partsOf({ ...ATTEMPT, queued_ms: null, limiter_wait_ms: 0, connected_ms: null })
  assert.deepEqual(
    parts.map(({ stage, ms }) => [stage, ms]),
    [
      ['render', 3],
      ['provider', 20],
    ],
  )
  assert.deepEqual(timelineRowsOf(incident([], 'pending'))[1]?.spans, [])
})
