import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escalationStep } from '../../../actors/main/api/noise/steps.ts'
import type { IncidentDetail } from '../../../src/api/incident.ts'

const ONCALL: NonNullable<IncidentDetail['oncall']> = {
  state: 'armed',
  due_at: '2030-01-01T00:03:00.000Z',
  provider: null,
  dedup_key: 'custom:web:down',
  paged_at: null,
  late_ms: null,
  next_signal: 'trigger',
  next_attempt_at: null,
  attempts: [],
}
const because = (oncall: IncidentDetail['oncall']) =>
  escalationStep({ oncall, oncall_error: null } as IncidentDetail).because

test('the explanation names the time of a page, its provider, or the earlier incident that pages', () => {
  assert.equal(because(null), 'the incident does not page')
  assert.equal(because(ONCALL), 'due at 2030-01-01T00:03:00.000Z')
  assert.match(because({ ...ONCALL, state: 'joined' }), /^an earlier incident of the same fingerprint pages for it/)
  assert.equal(
    because({ ...ONCALL, state: 'paged', provider: 'pagerduty', paged_at: '2030-01-01T00:03:00.000Z' }),
    'pagerduty was paged',
  )
})
