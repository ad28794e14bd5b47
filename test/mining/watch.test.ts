import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Finding, Mode, Watch } from '../../src/mining/contract.ts'
import { createWatch } from '../../src/mining/watch.ts'
import { HOUR_MS, line, OPTIONS, observeAll, stored, TICK_MS } from './lines.ts'

/** A watch with a clock: each call is a tick with these lines, and gives what was found as `kind phase`. */
class Clock {
  nowMs = 0
  watch: Watch
  last: Finding[] = []
  constructor(watch: Watch = createWatch(OPTIONS)) {
    this.watch = watch
  }
  tick(lines: readonly string[] = [], mode: Mode = 'detect', uneven?: ReadonlySet<string>): string[] {
    observeAll(this.watch, lines, this.nowMs)
    this.nowMs += TICK_MS
    this.last = this.watch.closeTick(this.nowMs, mode, uneven)
    return this.last.map(({ kind, phase }) => `${kind} ${phase}`)
  }
  /** Empty ticks. */
  idle(durationMs: number): string[] {
    return Array.from({ length: durationMs / TICK_MS }, () => this.tick()).flat()
  }
  train(lines: readonly string[], ticks = 1): void {
    for (let n = 0; n < ticks; n++) this.tick(lines, 'training')
  }
  restart(): void {
    this.watch = createWatch(OPTIONS, stored(this.watch))
  }
}

const times = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text} ${n}`)
const only = (watch: Watch) => {
  const [pattern, ...others] = watch.patterns()
  assert.ok(pattern)
  assert.equal(others.length, 0)
  return pattern
}

describe('a watch', () => {
  test('finds nothing in training, and nothing in what it has learned', () => {
    const clock = new Clock()
    assert.deepEqual(clock.tick(['disk 1 full'], 'training'), [])
    assert.deepEqual(clock.tick(['disk 2 full']), [])
    assert.deepEqual([only(clock.watch).verdict, only(clock.watch).knownBy], ['known', 'training'])
  })

  test('opens one episode for an unknown pattern, and closes it when it has been quiet', () => {
    const clock = new Clock()
    assert.deepEqual(clock.tick(['disk 1 full']), ['unknown opened'])
    assert.deepEqual(clock.tick(['disk 2 full']), ['unknown lasting'])
    assert.deepEqual(clock.idle(HOUR_MS - TICK_MS), [])
    assert.deepEqual(clock.tick(), ['unknown closed'])
    assert.deepEqual(clock.tick(['disk 3 full']), ['unknown opened'])
  })

  test('says again what goes on after the time for it', () => {
    const clock = new Clock()
    const found = Array.from({ length: 45 }, (_, n) => clock.tick(n % 3 === 0 ? ['disk 1 full'] : [])).flat()
    clock.idle(HOUR_MS / 2)
    assert.equal(found.filter((each) => each !== 'unknown lasting').length, 1)
    clock.idle(HOUR_MS / 4)
    assert.deepEqual(clock.tick(['disk 2 full']), ['unknown renotified'])
  })

  test('tells the lines of the tick, and how many there were', () => {
    const clock = new Clock()
    clock.tick(['disk 1 full', 'disk 2 full', 'disk 2 full', 'disk 3 full', 'disk 4 full'])
    const [finding] = clock.last
    assert.deepEqual(finding?.samples, ['disk 1 full', 'disk 2 full', 'disk 3 full'])
    assert.deepEqual([finding?.frequency, finding?.count, finding?.pattern.template], [5, 5, 'disk <*> full'])
  })

  test('holds for normal what came often enough, after it has said so once', () => {
    const clock = new Clock()
    assert.deepEqual(clock.tick(times(60, 'disk full')), ['unknown opened', 'unknown closed'])
    assert.deepEqual(clock.tick(times(200, 'disk full')), [])
    assert.equal(only(clock.watch).knownBy, 'count')
  })

  test('keeps to what an operator says', () => {
    const clock = new Clock()
    clock.tick(['disk 1 full'])
    const { id } = only(clock.watch)
    assert.equal(clock.watch.label(id, { verdict: 'known', tags: ['storage'] })?.knownBy, 'operator')
    assert.deepEqual(clock.tick(['disk 2 full']), ['unknown closed'])
    clock.watch.label(id, { verdict: 'unknown' })
    assert.deepEqual(clock.tick(times(80, 'disk 3 full').map((text) => text.slice(0, 11))), ['unknown opened'])
    clock.train(['disk 4 full'])
    assert.deepEqual(clock.tick(['disk 5 full']), ['unknown lasting'])
    clock.watch.label(id, { verdict: 'ignored' })
    assert.deepEqual(clock.tick(times(500, 'disk 6 full').map((text) => text.slice(0, 11))), ['unknown closed'])
    assert.equal(clock.watch.label('nosuch', { verdict: 'known' }), undefined)
  })

  test('learns what a new service says in its grace', () => {
    const clock = new Clock(createWatch({ ...OPTIONS, newServiceGraceMs: 10 * TICK_MS }))
    assert.deepEqual(clock.tick(['disk 1 full']), [])
    assert.equal(only(clock.watch).knownBy, 'grace')
    clock.idle(10 * TICK_MS)
    assert.deepEqual(clock.tick(['fan 1 stuck']), ['unknown opened'])
    clock.watch.grace('shop', 'restart', clock.nowMs)
    assert.deepEqual(clock.tick(['pump 1 stuck']), [])
    assert.equal(clock.watch.grace('shop', 'end', clock.nowMs)?.graceEndsMs, clock.nowMs)
    assert.deepEqual(clock.tick(['valve 1 stuck']), ['unknown opened'])
    assert.equal(clock.watch.grace('nosuch', 'end', clock.nowMs), undefined)
  })

  test('raises in detect mode what only the shadow log was told of', () => {
    const clock = new Clock()
    assert.deepEqual(clock.tick(['disk 1 full'], 'shadow'), ['unknown opened'])
    assert.deepEqual(clock.tick(['disk 2 full'], 'detect'), ['unknown renotified'])
    assert.deepEqual(clock.tick(['disk 3 full'], 'detect'), ['unknown lasting'])
  })

  test('tells a flood of new patterns by its largest', () => {
    const clock = new Clock()
    const words = Array.from({ length: 80 }, (_, n) => `${String.fromCharCode(97 + (n % 26))}${'x'.repeat(n)}`)
    const found = clock.tick([...words, 'valve stuck', 'valve stuck'])
    assert.equal(found.length, 25)
    assert.equal(clock.last.filter(({ pattern }) => pattern.template === 'valve stuck').length, 1)
    assert.equal(clock.watch.counts().withheld, 56)
  })

  test('carries an episode over to the pattern that its own is joined to', () => {
    const clock = new Clock()
    clock.train(['unit web.alpha stopped'])
    clock.tick(['unit web.beta stopped'])
    assert.deepEqual(clock.tick(['unit web.gamma stopped']), ['unknown closed'])
    assert.deepEqual([only(clock.watch).template, only(clock.watch).verdict], ['unit <*> stopped', 'known'])
    assert.equal(only(clock.watch).count, 3)
  })
})

describe('bursts', () => {
  const busy = (count: number) => Array.from({ length: count }, (_, n) => `request ${n} served`)
  const trained = () => {
    const clock = new Clock()
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

  test('are found when they are low but last', () => {
    const clock = trained()
    const found = Array.from({ length: 6 }, () => clock.tick(busy(13))).flat()
    assert.deepEqual(found.slice(0, 1), ['spike opened'])
  })

  test('are not what a pattern does when all is well', () => {
    const clock = trained()
    const found = Array.from({ length: 200 }, (_, n) => clock.tick(busy(n % 9))).flat()
    assert.deepEqual(found, [])
  })

  test('are not found in what is rare', () => {
    const clock = new Clock()
    for (let n = 0; n < 120; n++) clock.train(n % 60 === 0 ? ['nightly report 1 sent'] : [])
    assert.deepEqual(clock.tick(['nightly report 2 sent', 'nightly report 3 sent']), [])
  })

  test('of batches that come again and again are normal in the end', () => {
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

  test('of all patterns at once are lines that were read late', () => {
    const clock = new Clock()
    const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa']
    const all = (count: number) => names.flatMap((name) => times(count, `${name} of the ${name} service did ${name}`))
    for (let n = 0; n < 60; n++) clock.train(all(2 + (n % 2)))
    assert.deepEqual(clock.tick(all(80)), [])
    assert.deepEqual(clock.tick(all(3)), [])
    for (let n = 0; n < 20; n++) assert.deepEqual(clock.tick(all(2 + (n % 2))), [])
    const [loud = ''] = all(1)
    assert.deepEqual(clock.tick([...all(3), ...times(60, loud.slice(0, -2))]), ['spike opened'])
  })
})

describe('a source that was not read for a while', () => {
  const APP = new Set([line('x').source])

  test('is not judged by what it catches up with, nor held for silent meanwhile', () => {
    const clock = new Clock()
    clock.train(times(20, 'request failed'), 100)
    for (let n = 0; n < 300; n++) assert.deepEqual(clock.tick([], 'detect', APP), [])
    assert.deepEqual(clock.tick(times(6_000, 'request failed'), 'detect', APP), [])
    for (let n = 0; n < 20; n++) assert.deepEqual(clock.tick(times(20, 'request failed')), [])
    assert.deepEqual(clock.tick(times(200, 'request failed')), ['spike opened'])
  })

  test('still says what is new', () => {
    const clock = new Clock()
    clock.train(times(20, 'request failed'), 100)
    assert.deepEqual(clock.tick(['disk 1 full'], 'detect', APP), ['unknown opened'])
  })
})

describe('a restart', () => {
  test('goes on in the middle of episodes, counts and ticks', () => {
    const clock = new Clock()
    clock.train(['disk 1 full'])
    clock.tick(['fan 1 stuck'])
    clock.restart()
    assert.deepEqual(clock.tick(['disk 2 full', 'fan 2 stuck']), ['unknown lasting'])
    const counts = clock.watch.patterns().map(({ template, count }) => `${template} ${count}`)
    assert.deepEqual(counts.sort(), ['disk <*> full 2', 'fan <*> stuck 2'])
  })

  test('before the end of a tick loses nothing of it', () => {
    const clock = new Clock()
    clock.watch.observe(line('fan 1 stuck'), 0)
    clock.restart()
    assert.deepEqual(clock.tick(), ['unknown opened'])
    assert.deepEqual(clock.last[0]?.samples, ['fan 1 stuck'])
  })

  test('keeps what is normal of each pattern', () => {
    const clock = new Clock()
    for (let n = 0; n < 60; n++) clock.train(times(4, 'request served'))
    clock.restart()
    assert.deepEqual(clock.tick(times(5, 'request served')), [])
    assert.deepEqual(clock.tick(times(60, 'request served')), ['spike opened'])
  })

  test('keeps joined ids, labels, services and fields it does not know', () => {
    const clock = new Clock()
    const ids = observeAll(clock.watch, ['unit web.a stopped', 'unit web.b stopped', 'unit web.c stopped'])
    clock.watch.label(ids[1] ?? '', { verdict: 'known', tags: ['units'] })
    const snapshot = stored(clock.watch)
    const [[id, pattern] = ['', undefined]] = Object.entries(snapshot.patterns)
    const again = createWatch(OPTIONS, { ...snapshot, patterns: { [id]: { ...pattern, left: { keep: 'me' } } } })
    assert.deepEqual(
      ids.map((each) => again.pattern(each)?.id),
      [ids[0], ids[0], ids[0]],
    )
    assert.deepEqual([again.pattern(id)?.tags, again.pattern(id)?.knownBy], [['units'], 'operator'])
    assert.deepEqual(stored(again).patterns[id]?.left, { keep: 'me' })
    assert.deepEqual(stored(again).services, snapshot.services)
  })

  test('makes the same of what comes after as if there had been none', () => {
    const lines = [
      'chrome *64 - 10.0.0.1:80 open',
      'opera - 10.0.0.1:80 open',
      'wget *64 - 10.0.0.2:80 open',
      'x.exe - 10.0.0.3:80 open',
    ]
    const first = [...lines, ...['a.exe', 'b.exe', 'c.exe'].map((name) => `${name} - 10.0.0.1:80 open`)]
    const clock = new Clock()
    observeAll(clock.watch, first)
    const again = createWatch(OPTIONS, stored(clock.watch))
    const next = ['d.exe *64 - 10.9.0.1:81 open', 'e.exe - 10.9.0.1:81 open', 'curl - 10.0.0.4:80 open']
    assert.deepEqual(observeAll(again, next), observeAll(clock.watch, next))
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
    const watch = createWatch(OPTIONS, {
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

  test('clears and forgets for good', () => {
    const clock = new Clock()
    const [id = ''] = observeAll(clock.watch, ['disk 1 full', 'fan 1 stuck'])
    assert.equal(clock.watch.forget(id), true)
    assert.equal(clock.watch.forget(id), false)
    assert.equal(clock.watch.clear(), 1)
    assert.deepEqual([clock.tick(), Object.keys(stored(clock.watch).patterns)], [[], []])
  })
})
