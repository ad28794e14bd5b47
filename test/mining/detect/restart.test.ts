import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { line, OPTIONS, observeAll, stored } from '../lines.ts'
import { DetectorClock, numberedLines } from './detector-clock.ts'

describe('a restart', () => {
  test('continues open episodes, counts and ticks', () => {
    const clock = new DetectorClock()
    clock.train(['disk 1 full'])
    clock.tick(['fan 1 stuck'])
    clock.restart()
    assert.deepEqual(clock.tick(['disk 2 full', 'fan 2 stuck']), ['unknown lasting'])
    const counts = clock.detector.patterns().map(({ template, count }) => `${template} ${count}`)
    assert.deepEqual(counts.sort(), ['disk <*> full 2', 'fan <*> stuck 2'])
  })

  test('before the end of a tick loses no line of it', () => {
    const clock = new DetectorClock()
    clock.detector.observe(line('fan 1 stuck'), 0)
    clock.restart()
    assert.deepEqual(clock.tick(), ['unknown opened'])
    assert.deepEqual(clock.last[0]?.samples, ['fan 1 stuck'])
  })

  test('keeps the baseline of each pattern', () => {
    const clock = new DetectorClock()
    for (let n = 0; n < 60; n++) clock.train(numberedLines(4, 'request served'))
    clock.restart()
    assert.deepEqual(clock.tick(numberedLines(5, 'request served')), [])
    assert.deepEqual(clock.tick(numberedLines(60, 'request served')), ['spike opened'])
  })

  test('keeps merged ids, labels, services and unknown fields', () => {
    const clock = new DetectorClock()
    const ids = observeAll(clock.detector, ['unit web.a stopped', 'unit web.b stopped', 'unit web.c stopped'])
    clock.detector.label(ids[1] ?? '', { verdict: 'known', tags: ['units'] })
    const snapshot = stored(clock.detector)
    const [[id, pattern] = ['', undefined]] = Object.entries(snapshot.patterns)
    const again = new AnomalyDetector(OPTIONS, {
      ...snapshot,
      patterns: { [id]: { ...pattern, left: { keep: 'me' } } },
    })
    assert.deepEqual(
      ids.map((each) => again.pattern(each)?.id),
      [ids[0], ids[0], ids[0]],
    )
    assert.deepEqual([again.pattern(id)?.tags, again.pattern(id)?.knownBy], [['units'], 'operator'])
    assert.partialDeepStrictEqual(stored(again).patterns[id], { left: { keep: 'me' } })
    assert.deepEqual(stored(again).services, snapshot.services)
  })

  test('gives later lines the same ids as without a restart', () => {
    const lines = [
      'chrome *64 - 10.0.0.1:80 open',
      'opera - 10.0.0.1:80 open',
      'wget *64 - 10.0.0.2:80 open',
      'x.exe - 10.0.0.3:80 open',
    ]
    const first = [...lines, ...['a.exe', 'b.exe', 'c.exe'].map((name) => `${name} - 10.0.0.1:80 open`)]
    const clock = new DetectorClock()
    observeAll(clock.detector, first)
    const again = new AnomalyDetector(OPTIONS, stored(clock.detector))
    const next = ['d.exe *64 - 10.9.0.1:81 open', 'e.exe - 10.9.0.1:81 open', 'curl - 10.0.0.4:80 open']
    assert.deepEqual(observeAll(again, next), observeAll(clock.detector, next))
  })

  test('reads a catalog of an earlier version, which holds little more than templates', () => {
    const old = {
      id: 'p-old-1',
      template: 'quota of tenant <*> exhausted by <NUM>',
      first_seen: '2026-01-02T03:04:05Z',
      count: 41,
      baseline_frequency: 2.5,
      verdict: 'known',
      rule_name: 'default',
      source: 'app',
    }
    const watch = new AnomalyDetector(OPTIONS, {
      patterns: { 'p-old-1': old, broken: { template: 7 }, none: null },
      services: { shop: { first_seen: '2026-01-02T03:04:05Z' }, bad: 3 },
    })
    assert.equal(watch.skipped, 3)
    assert.deepEqual(observeAll(watch, ['quota of tenant acme exhausted by 17', 'quota of tenant 12 exhausted by 4']), [
      'p-old-1',
      'p-old-1',
    ])
    assert.equal(watch.pattern('p-old-1')?.count, 43)
    const [pattern] = Object.values(stored(watch).patterns)
    assert.deepEqual([pattern?.first_seen, pattern?.verdict], [old.first_seen, 'known'])
  })

  test('does not raise an unknown pattern again that an earlier version has raised', () => {
    const clock = new DetectorClock()
    clock.tick(numberedLines(7, 'fan stuck at'))
    const snapshot = JSON.stringify(stored(clock.detector)).replace(',"loudest":7', '')
    assert.ok(!snapshot.includes('loudest'))
    clock.detector = new AnomalyDetector(OPTIONS, JSON.parse(snapshot))
    assert.deepEqual(clock.tick(numberedLines(20, 'fan stuck at')), ['unknown lasting'])
  })

  test('does not bring back deleted patterns', () => {
    const clock = new DetectorClock()
    const [id = ''] = observeAll(clock.detector, ['disk 1 full', 'fan 1 stuck'])
    assert.equal(clock.detector.forget(id), true)
    assert.equal(clock.detector.forget(id), false)
    assert.equal(clock.detector.clear(), 1)
    assert.deepEqual([clock.tick(), Object.keys(stored(clock.detector).patterns)], [[], []])
  })
})

describe('a catalog that was written before words in places of values were values', () => {
  const file = readFileSync(new URL('../patterns/earlier-catalog.json.gz', import.meta.url))
  const earlier = JSON.parse(gunzipSync(file).toString())
  const lines: readonly string[] = earlier.lines
  const restored = () => new DetectorClock(new AnomalyDetector(OPTIONS, earlier))

  test('is read without loss: each id still finds a known pattern', () => {
    const { detector } = restored()
    assert.equal(detector.skipped, 0)
    const ids = Object.keys(earlier.patterns)
    assert.ok(ids.length > 40)
    assert.deepEqual(new Set(ids.map((id) => detector.pattern(id)?.verdict)), new Set(['known']))
  })

  test('knows the lines it was learned from, with other values too', () => {
    assert.deepEqual(restored().tick(lines), [])
    assert.deepEqual(restored().tick(lines.map((text) => text.replaceAll('7', '9').replaceAll('00:0', '10:1'))), [])
  })

  test('still reports what it has not seen', () => {
    assert.deepEqual(restored().tick(['evicted the region north']), ['unknown opened'])
  })

  test('is the same after it was written and read again', () => {
    const { detector } = restored()
    const again = new AnomalyDetector(OPTIONS, stored(detector))
    assert.deepEqual(stored(again), stored(detector))
    assert.deepEqual(observeAll(again, lines), observeAll(detector, lines))
  })
})
