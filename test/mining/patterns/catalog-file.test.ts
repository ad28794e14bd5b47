import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { CatalogFile } from '../../../src/mining/patterns/catalog-file.ts'
import { memoryFile } from '../setup.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')

describe('the catalog file', () => {
  test('holds patterns, the cursors of the same moment, the incident outbox, and unknown fields', () => {
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

test('an entry that did not change is stored as it was read', () => {
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
  const { patterns, services: stored } = new AnomalyDetector(options, {
    patterns: { 'p-1': pattern },
    services,
  }).snapshot()
  assert.deepEqual({ ...patterns['p-1'], ...pattern }, patterns['p-1'])
  assert.deepEqual(stored, services)
})
