import assert from 'node:assert/strict'
import test from 'node:test'
import type { AttemptRecord } from '../../src/api/attempt.ts'
import type { DeliveryDetail } from '../../src/api/delivery.ts'
import type { IncidentDetail } from '../../src/api/incident.ts'
import { partsOf, timelineRowsOf } from '../../static/pages/incidents/stages.ts'

const RECEIVED = Date.UTC(2026, 2, 9)
const at = (ms: number) => new Date(RECEIVED + ms).toISOString()

/** Commit 2 ms, claimed at 5 ms, queue 1 ms, rendering 3 ms, rate limit 4 ms, provider 20 ms. */
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

test('the stages of an attempt follow each other and add up to the time from arrival to the answer', () => {
  const [commit, row] = timelineRowsOf(incident([ATTEMPT]))
  assert.deepEqual([commit?.end, row?.end, row?.unfinished], [2, 33, false])
  let from = commit?.end
  for (const span of row?.spans ?? []) {
    assert.equal(span.from, from)
    from = span.from + span.ms
  }
  assert.equal(from, 33)
  assert.deepEqual(
    row?.spans.map(({ stage }) => stage),
    ['wait', 'queue', 'render', 'limiter', 'connect', 'provider'],
  )
})

test('a second attempt is placed at its own time, and the time between is empty', () => {
  const again = { ...ATTEMPT, number: 2, handed_out_at: at(1_000), started_at: at(1_008) }
  const row = timelineRowsOf(incident([ATTEMPT, again], 'pending'))[1]
  assert.deepEqual([row?.end, row?.unfinished], [1_028, true])
  assert.equal(row?.spans.find(({ from }) => from > 33)?.from, 1_000)
})

test('stages that took no time are left out, and a delivery without an attempt has none', () => {
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
