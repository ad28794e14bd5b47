import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { type ShadowEvent, ShadowLog } from '../../../src/mining/detect/shadow-log.ts'
import { CatalogFile } from '../../../src/mining/patterns/catalog-file.ts'
import { finding, memoryFile } from '../setup.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')

describe('the catalog file', () => {
  test('holds what was learned, the cursors of that moment, what is to be raised, and fields of others', () => {
    const earlier = { version: 1, patterns: { p1: { id: 'p1', left: 1 } }, services: {}, left_by: 'a plugin' }
    const file = memoryFile(earlier)
    const catalog = new CatalogFile(file)
    const { stored, cursors, raising } = catalog.load()
    assert.deepEqual([stored.patterns, cursors, raising], [earlier.patterns, {}, []])
    const snapshot = { patterns: earlier.patterns as never, services: {} }
    catalog.save({ snapshot, cursors: { app: { offset: 7 } }, raising: [{ key: 'k' }] }, NOW)
    assert.deepEqual(file.document, {
      ...earlier,
      updated_at: '2026-01-02T03:04:05.000Z',
      cursors: { app: { offset: 7 } },
      raising: [{ key: 'k' }],
    })
    const again = new CatalogFile(file).load()
    assert.deepEqual([again.cursors, again.raising], [{ app: { offset: 7 } }, [{ key: 'k' }]])
  })

  test('of a later version keeps its version', () => {
    const file = memoryFile({ version: 3, patterns: [], services: 'none', cursors: { a: 1, b: { offset: 2 } } })
    const catalog = new CatalogFile(file)
    assert.deepEqual(catalog.load(), {
      stored: { patterns: {}, services: {} },
      cursors: { b: { offset: 2 } },
      raising: [],
    })
    catalog.save({ snapshot: { patterns: {}, services: {} }, cursors: {}, raising: [] }, NOW)
    assert.equal((file.document as { version: number }).version, 3)
  })
})

describe('the shadow log', () => {
  test('adds up what would have been raised, by pattern and verdict, newest first', () => {
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

test('what was not touched is stored as it was read', () => {
  const options = {
    miner: { maxPatterns: 100 },
    catalog: { autoPromoteAfter: 50, spikeZ: 3, spikeMinFrequency: 5, spikeMinBaselineCount: 20 },
    renotifyMs: 3_600_000,
    newServiceGraceMs: 0,
  }
  const pattern = {
    id: 'p-1',
    template: 'ERROR quota of tenant <*> exhausted',
    count: 41,
    baseline_frequency: 2.5,
    first_seen: '2026-01-02T03:04:05Z',
    last_seen: '2026-01-03T03:04:05+00:00',
    verdict: 'known',
    rule_name: 'default',
    source: 'app',
    service: 'tenants',
    tags: ['billing'],
    left_by_a_plugin: { keep: 'me' },
  }
  const services = { tenants: { first_seen: '2026-01-02T03:04:05Z', owner: 'kim' } }
  const { patterns, services: stored } = createAnomalyDetector(options, {
    patterns: { 'p-1': pattern },
    services,
  }).snapshot()
  assert.deepEqual({ ...patterns['p-1'], ...pattern }, patterns['p-1'])
  assert.deepEqual(stored, services)
})
