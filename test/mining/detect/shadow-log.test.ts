import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ShadowEvent } from '../../../src/api/shadow-event.ts'
import { ShadowLog } from '../../../src/mining/detect/shadow-log.ts'
import { finding, memoryFile } from '../setup.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')

describe('the shadow log', () => {
  test('adds up the incidents that would have been raised, by pattern and verdict, newest first', () => {
    const shadow = new ShadowLog(memoryFile())
    shadow.record(finding('p1'), NOW)
    shadow.record(finding('p2', { kind: 'spike' }), NOW)
    shadow.record(finding('p1', { phase: 'lasting', samples: [], frequency: 5 }), NOW + 1_000)
    shadow.record(finding('p1', { phase: 'renotified', frequency: 1 }), NOW + 2_000)
    shadow.record(finding('p1', { phase: 'closed', frequency: 0 }), NOW + 3_000)
    const [first, second] = shadow.events()
    assert.deepEqual([first?.pattern_id, first?.count, first?.occurrences], ['p1', 9, 2])
    assert.deepEqual([first?.sample_message, first?.last_seen], ['sample of p1', '2026-01-02T03:04:07.000Z'])
    assert.deepEqual([second?.pattern_id, second?.verdict], ['p2', 'spike'])
    assert.deepEqual(shadow.stats(), { events: 2, would_have_raised: 3, verdict_unknown: 1, verdict_spike: 1 })
  })

  test('keeps the newest 1,000, through a restart, with fields of earlier versions', () => {
    const old = { pattern_id: 'old', verdict: 'unknown', count: 1, occurrences: 1, left: 'here' }
    const file = memoryFile({ version: 1, events: [old, 7], left: 'there' })
    const shadow = new ShadowLog(file)
    shadow.record(finding('old'), NOW)
    for (let n = 0; n < 999; n++) shadow.record(finding(`p${n}`), NOW)
    shadow.flush(NOW)
    const saved = file.document as { events: ShadowEvent[]; left: string }
    assert.deepEqual([saved.left, saved.events.length, saved.events[0]?.left], ['there', 1_000, 'here'])
    const again = new ShadowLog(file)
    again.record(finding('p999'), NOW)
    assert.equal(again.events().length, 1_000)
    assert.ok(!again.events().some(({ pattern_id }) => pattern_id === 'old'))
    assert.equal(again.clear(), 1_000)
    again.flush(NOW)
    assert.deepEqual((file.document as { events: [] }).events, [])
  })
})
