import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { HOUR_MS, line, OPTIONS, TICK_MS } from '../lines.ts'
import { DetectorClock, numberedLines, only } from './detector-clock.ts'

describe('the anomaly detector', () => {
  test('finds nothing in training, and nothing in what it has learned', () => {
    const clock = new DetectorClock()
    assert.deepEqual(clock.tick(['disk 1 full'], 'training'), [])
    assert.deepEqual(clock.tick(['disk 2 full']), [])
    assert.deepEqual([only(clock.detector).verdict, only(clock.detector).knownBy], ['known', 'training'])
  })

  test('opens one episode for an unknown pattern, and closes it when it has been quiet for a day', () => {
    const clock = new DetectorClock()
    assert.deepEqual(clock.tick(['disk 1 full']), ['unknown opened'])
    assert.deepEqual(clock.tick(['disk 2 full']), ['unknown lasting'])
    assert.deepEqual(clock.idle(24 * HOUR_MS - TICK_MS), [])
    assert.deepEqual(clock.tick(), ['unknown closed'])
    assert.deepEqual(clock.tick(['disk 3 full']), ['unknown opened'])
  })

  test('notifies again of an unknown pattern after a day, not after the renotify time', () => {
    const clock = new DetectorClock()
    const hours = Array.from({ length: 24 }, () => {
      const found = clock.tick(['disk 1 full'])
      return [...found, ...clock.idle(HOUR_MS - TICK_MS)]
    })
    assert.deepEqual(hours.flat(), ['unknown opened', ...Array.from({ length: 23 }, () => 'unknown lasting')])
    assert.deepEqual(clock.tick(['disk 2 full']), ['unknown renotified'])
  })

  test('notifies again of an unknown pattern when it is louder than before, also after a restart', () => {
    const clock = new DetectorClock()
    const times = (count: number) => Array.from({ length: count }, () => 'disk 1 full')
    assert.deepEqual(clock.tick(times(2)), ['unknown opened'])
    assert.deepEqual(clock.tick(times(4)), ['unknown lasting'])
    assert.deepEqual(clock.tick(times(20)), ['unknown renotified'])
    clock.restart()
    assert.deepEqual([clock.tick(times(18)), clock.tick(times(2))].flat(), ['unknown lasting', 'unknown lasting'])
  })

  test('gives samples of the tick and the number of its lines', () => {
    const clock = new DetectorClock()
    clock.tick(['disk 1 full', 'disk 2 full', 'disk 2 full', 'disk 3 full', 'disk 4 full'])
    const [finding] = clock.last
    assert.deepEqual(finding?.samples, ['disk 1 full', 'disk 2 full', 'disk 3 full'])
    assert.deepEqual([finding?.frequency, finding?.count, finding?.pattern.template], [5, 5, 'disk <*> full'])
  })

  test('promotes a pattern with enough lines to known, after it has reported it once', () => {
    const clock = new DetectorClock()
    assert.deepEqual(clock.tick(numberedLines(60, 'disk full')), ['unknown opened', 'unknown closed'])
    assert.deepEqual(clock.tick(numberedLines(200, 'disk full')), [])
    assert.equal(only(clock.detector).knownBy, 'count')
  })

  test('keeps the verdict of an operator', () => {
    const clock = new DetectorClock()
    clock.tick(['disk 1 full'])
    const { id } = only(clock.detector)
    assert.equal(clock.detector.label(id, { verdict: 'known', tags: ['storage'] })?.knownBy, 'operator')
    assert.deepEqual(clock.tick(['disk 2 full']), ['unknown closed'])
    clock.detector.label(id, { verdict: 'unknown' })
    assert.deepEqual(clock.tick(numberedLines(80, 'disk 3 full').map((text) => text.slice(0, 11))), ['unknown opened'])
    clock.train(['disk 4 full'])
    assert.deepEqual(clock.tick(['disk 5 full']), ['unknown lasting'])
    clock.detector.label(id, { verdict: 'ignored' })
    assert.deepEqual(clock.tick(numberedLines(500, 'disk 6 full').map((text) => text.slice(0, 11))), ['unknown closed'])
    assert.equal(clock.detector.label('nosuch', { verdict: 'known' }), undefined)
  })

  test('learns the patterns of a new service during its grace period', () => {
    const clock = new DetectorClock(new AnomalyDetector({ ...OPTIONS, newServiceGraceMs: 10 * TICK_MS }))
    assert.deepEqual(clock.tick(['disk 1 full']), [])
    assert.equal(only(clock.detector).knownBy, 'grace')
    clock.idle(10 * TICK_MS)
    assert.deepEqual(clock.tick(['fan 1 stuck']), ['unknown opened'])
    clock.detector.grace('shop', 'restart', clock.nowMs)
    assert.deepEqual(clock.tick(['pump 1 stuck']), [])
    assert.equal(clock.detector.grace('shop', 'end', clock.nowMs)?.graceEndsMs, clock.nowMs)
    assert.deepEqual(clock.tick(['valve 1 stuck']), ['unknown opened'])
    assert.equal(clock.detector.grace('nosuch', 'end', clock.nowMs), undefined)
  })

  test('notifies in detect mode of an episode that was opened in shadow mode', () => {
    const clock = new DetectorClock()
    assert.deepEqual(clock.tick(['disk 1 full'], 'shadow'), ['unknown opened'])
    assert.deepEqual(clock.tick(['disk 2 full'], 'detect'), ['unknown renotified'])
    assert.deepEqual(clock.tick(['disk 3 full'], 'detect'), ['unknown lasting'])
  })

  test('reports only the 25 most frequent of a flood of new patterns', () => {
    const clock = new DetectorClock()
    const words = Array.from({ length: 80 }, (_, n) => `${String.fromCharCode(97 + (n % 26))}${'x'.repeat(n)}`)
    const found = clock.tick([...words, 'valve stuck', 'valve stuck'])
    assert.equal(found.length, 25)
    assert.equal(clock.last.filter(({ pattern }) => pattern.template === 'valve stuck').length, 1)
    assert.equal(clock.detector.counts().withheld, 56)
  })

  test('carries an episode over to the pattern that its own is merged into', () => {
    const clock = new DetectorClock()
    clock.train(['unit web.alpha stopped'])
    clock.tick(['unit web.beta stopped'])
    assert.deepEqual(clock.tick(['unit web.gamma stopped']), ['unknown closed'])
    assert.deepEqual([only(clock.detector).template, only(clock.detector).verdict], ['unit <*> stopped', 'known'])
    assert.equal(only(clock.detector).count, 3)
  })
})

describe('bursts', () => {
  const busy = (count: number) => Array.from({ length: count }, (_, n) => `request ${n} served`)
  const trained = () => {
    const clock = new DetectorClock()
    for (let n = 0; n < 120; n++) clock.train(busy(3 + (n % 5)))
    return clock
  }

  test('of a known pattern are one episode each', () => {
    const clock = trained()
    assert.deepEqual(clock.tick(busy(60)), ['spike opened'])
    assert.deepEqual(clock.tick(busy(60)), ['spike lasting'])
    assert.deepEqual(clock.tick(busy(5)), [])
    assert.ok(clock.idle(2 * HOUR_MS).includes('spike closed'))
  })

  test('are notified of again when they still last after the renotify time', () => {
    const clock = trained()
    const found = Array.from({ length: HOUR_MS / TICK_MS + 1 }, () => clock.tick(busy(60))).flat()
    assert.deepEqual([found[0], found.filter((each) => each === 'spike renotified').length], ['spike opened', 1])
  })

  test('are found when they are small but last several ticks', () => {
    const clock = trained()
    const found = Array.from({ length: 6 }, () => clock.tick(busy(13))).flat()
    assert.deepEqual(found.slice(0, 1), ['spike opened'])
  })

  test('are not reported for the usual variation of a pattern', () => {
    const clock = trained()
    const found = Array.from({ length: 200 }, (_, n) => clock.tick(busy(n % 9))).flat()
    assert.deepEqual(found, [])
  })

  test('are not reported for a pattern with few lines', () => {
    const clock = new DetectorClock()
    for (let n = 0; n < 120; n++) clock.train(n % 60 === 0 ? ['nightly report 1 sent'] : [])
    assert.deepEqual(clock.tick(['nightly report 2 sent', 'nightly report 3 sent']), [])
  })

  test('that recur regularly become normal', () => {
    const clock = trained()
    const found = Array.from({ length: 600 }, (_, n) => clock.tick(busy(n % 20 === 0 ? 40 : 4)))
    assert.deepEqual(
      found
        .slice(400)
        .flat()
        .filter((each) => !each.endsWith('closed')),
      [],
    )
  })

  test('of most patterns of a source at once are a surge and not reported', () => {
    const clock = new DetectorClock()
    const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa']
    const all = (count: number) =>
      names.flatMap((name) => numberedLines(count, `${name} of the ${name} service did ${name}`))
    for (let n = 0; n < 60; n++) clock.train(all(2 + (n % 2)))
    assert.deepEqual(clock.tick(all(80)), [])
    assert.deepEqual(clock.tick(all(3)), [])
    for (let n = 0; n < 20; n++) assert.deepEqual(clock.tick(all(2 + (n % 2))), [])
    const [single = ''] = all(1)
    assert.deepEqual(clock.tick([...all(3), ...numberedLines(60, single.slice(0, -2))]), ['spike opened'])
  })
})

describe('a source with incomplete ticks', () => {
  const APP = new Set([line('x').source])

  test('is not tested for bursts, and the ticks do not count as silent', () => {
    const clock = new DetectorClock()
    clock.train(numberedLines(20, 'request failed'), 100)
    for (let n = 0; n < 300; n++) assert.deepEqual(clock.tick([], 'detect', APP), [])
    assert.deepEqual(clock.tick(numberedLines(6_000, 'request failed'), 'detect', APP), [])
    for (let n = 0; n < 20; n++) assert.deepEqual(clock.tick(numberedLines(20, 'request failed')), [])
    assert.deepEqual(clock.tick(numberedLines(200, 'request failed')), ['spike opened'])
  })

  test('still reports new patterns', () => {
    const clock = new DetectorClock()
    clock.train(numberedLines(20, 'request failed'), 100)
    assert.deepEqual(clock.tick(['disk 1 full'], 'detect', APP), ['unknown opened'])
  })
})
