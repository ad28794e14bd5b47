import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { ShadowEvent } from '../../../src/api/agent/shadow-event.ts'
import { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { ShadowLog } from '../../../src/mining/detect/shadow-log.ts'
import { bareMiner, line, OPTIONS, observeAll, stored } from '../lines.ts'
import { finding, memoryFile } from '../setup.ts'
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

const MEGABYTE = 1_048_576
const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ['nothing', ''],
  ['blanks', ' \t  \n '],
  ['a megabyte of one word', 'x'.repeat(MEGABYTE)],
  ['a megabyte of words', 'word '.repeat(MEGABYTE / 5)],
  ['a megabyte of values', '7 '.repeat(MEGABYTE / 2)],
  ['a megabyte of separators', '=,;:'.repeat(MEGABYTE / 4)],
  ['a megabyte of dots', '.'.repeat(MEGABYTE)],
  ['a megabyte of wildcards', '<*>'.repeat(MEGABYTE / 3)],
  ['a megabyte of colons in hex', 'a:'.repeat(MEGABYTE / 2)],
  ['a megabyte of indented lines', 'x\n '.repeat(MEGABYTE / 3)],
  ['an escape that never ends', `\u001b[${'1;'.repeat(MEGABYTE / 2)}`],
  ['a redaction that never ends', `<REDACTED${'x'.repeat(MEGABYTE)}`],
  ['NUL', 'a\u0000b \u0000 c'],
  ['units used in keys', '\u0001\u0002 \u0002 a\u0002b \u0001'],
  ['a lone surrogate', 'half \ud83d of \udc00 it'],
  ['text of several languages', 'Fehler 💥 in Übersicht, 失敗 7 件, ошибка №5'],
  ['names of prototypes', '__proto__ constructor toString'],
  ['wildcards in the text', '<*> <*>x y<*> <<*>> <*><*>'],
]

describe('a hostile line', () => {
  for (const [what, text] of HOSTILE) {
    test(`of ${what} is mined like any other`, () => {
      const miner = bareMiner()
      const first = miner.observe(text, 'app')
      assert.equal(miner.observe(text, 'app'), first)
      assert.ok(first.template.text.length <= 8_192)
    })

    test(`of ${what} is found again after a restart`, () => {
      const watch = new AnomalyDetector(OPTIONS)
      const { id } = watch.observe(line(text), 1)
      const again = new AnomalyDetector(OPTIONS, stored(watch))
      assert.deepEqual(again.observe(line(text), 2), { id, isNew: false })
    })
  }

  test('of any kind is mined, and found again after a restart', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 })
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), (lines) => {
        const watch = new AnomalyDetector(OPTIONS)
        for (const each of lines) watch.observe(line(each), 1)
        const again = new AnomalyDetector(OPTIONS, stored(watch))
        for (const each of lines) assert.equal(again.observe(line(each), 2).id, watch.observe(line(each), 2).id)
      }),
    )
  })
})
