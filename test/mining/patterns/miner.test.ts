import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { CatalogFile } from '../../../src/mining/patterns/catalog-file.ts'
import { bareMiner, templatesOf } from '../lines.ts'
import { memoryFile } from '../setup.ts'

const USERS = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace']
const word = fc.constantFrom('disk', 'node', 'full', 'gone', 'lease', 'peer', 'queue', 'slow')
const value = fc.oneof(
  fc.nat(9_999).map(String),
  fc.constantFrom('10.0.0.1', '0xff', 'sda1', 'eth0', '/var/log/x', 'web-1', 'a.b.C'),
)
const separator = fc.constantFrom(' ', ' ', ' ', ', ', ': ', '=', ' (', ') ')
const logLine = fc
  .array(fc.tuple(fc.oneof({ weight: 2, arbitrary: word }, value), separator), { minLength: 1, maxLength: 7 })
  .map((parts) => parts.flat().join(''))
const logLines = fc.array(logLine, { maxLength: 120 })

describe('the miner', () => {
  test('makes a token variable after six different words', () => {
    const lines = USERS.map((user) => `session of ${user} was closed`)
    assert.equal(templatesOf(lines.slice(0, 5)).length, 5)
    assert.deepEqual(templatesOf(lines), ['session of <*> was closed'])
  })

  test('makes a token variable after three different identifiers', () => {
    const lines = ['web.alpha', 'web.beta', 'web.gamma'].map((name) => `unit ${name} stopped`)
    assert.equal(templatesOf(lines.slice(0, 2)).length, 2)
    assert.deepEqual(templatesOf(lines), ['unit <*> stopped'])
  })

  test('merges lines in which identifiers vary in several tokens', () => {
    const moves = ['web.a to db.b', 'web.c to db.d', 'web.e to db.f']
    assert.deepEqual(templatesOf(moves.map((move) => `volume 7 moved from ${move}`)), [
      'volume <*> moved from <*> to <*>',
    ])
  })

  const inCapitals: readonly [what: string, words: string, line: (word: string) => string][] = [
    [
      'a web server, by methods',
      'GET POST PUT DELETE HEAD OPTIONS PATCH',
      (verb) => `upstream took 3 s for ${verb} of /a/b`,
    ],
    ['a Java stack, by states', 'NEW INITED RUNNING PAUSED DONE', (state) => `job 7 moved to ${state} on 10.0.0.1`],
    ['a message broker, by roles', 'LOOKING FOLLOWING LEADING', (role) => `peer 3 is ${role} since 12 s`],
    ['a kernel, by signals', 'SIGTERM SIGHUP SIGUSR SIGCHLD', (signal) => `process 12 took ${signal} from 1`],
    ['a database, by statements', 'SELECT INSERT UPDATE VACUUM', (verb) => `statement 7 ran 12 ms: ${verb} of 3 rows`],
  ]
  for (const [what, words, line] of inCapitals) {
    test(`keeps lines apart that differ in a word in capitals: ${what}`, () => {
      const lines = words.split(' ').map(line)
      assert.equal(templatesOf([...lines, ...lines]).length, lines.length)
    })
  }

  test('makes a token variable after twelve different words in capitals', () => {
    const codes = 'AAL BRU CDG DUB EDI FRA GVA HEL IST JFK LHR MUC'.split(' ')
    const lines = codes.map((code) => `flight to ${code} has left gate 7`)
    assert.equal(templatesOf(lines.slice(0, 11)).length, 11)
    assert.deepEqual(templatesOf(lines), ['flight to <*> has left gate <*>'])
  })

  test('never makes error words variable, whatever their number', () => {
    const causes = ['IOException', 'TimeoutException', 'KeyError', 'refused', 'corrupt', 'killed', 'panic', 'crashed']
    assert.equal(templatesOf(causes.map((cause) => `request ended with ${cause} in worker`)).length, causes.length)
  })

  test('matches a word with a wildcard if enough words agree', () => {
    assert.deepEqual(templatesOf(['user 17 has left', 'user root has left']), ['user <*> has left'])
    assert.equal(templatesOf(['user 17', 'user root']).length, 2)
  })

  test('finds a pattern by the ids of patterns merged into it', () => {
    const miner = bareMiner()
    const ids = USERS.map((user) => miner.observe(`session of ${user} was closed`, 'app').id)
    assert.deepEqual([...new Set(ids.map((id) => miner.byId(id)?.id))], [ids[0]])
    assert.equal(miner.byId(ids[0] ?? '')?.lines, USERS.length)
    assert.equal(miner.merged, 5)
  })

  test('has separate patterns for each source', () => {
    const miner = bareMiner()
    const [first, second] = ['a', 'b'].map((source) => miner.observe('disk full', source))
    assert.notEqual(first?.id, second?.id)
  })

  test('gives the same text the same id in another run', () => {
    const [one, other] = [bareMiner(), bareMiner()]
    other.observe('something else', 'app')
    assert.equal(one.observe('disk 7 full', 'app').id, other.observe('disk 8 full', 'app').id)
  })

  test('keeps frequent patterns during a flood of new ones', () => {
    const miner = bareMiner(100)
    const known = miner.observe('heartbeat of node 1', 'app')
    for (let n = 0; n < 10; n++) miner.observe('heartbeat of node 2', 'app')
    for (let n = 0; n < 2_000; n++) miner.observe(`flood ${'x'.repeat(n % 50)}${'y'.repeat(n % 41)}`, 'app')
    assert.ok(miner.size <= 100)
    assert.ok(miner.evicted > 0)
    assert.equal(miner.observe('heartbeat of node 3', 'app'), known)
  })

  test('is deterministic', () => {
    fc.assert(
      fc.property(logLines, (lines) => {
        const [one, other] = [bareMiner(40), bareMiner(40)]
        for (const line of lines) assert.equal(one.observe(line, 'app').id, other.observe(line, 'app').id)
      }),
      { numRuns: 60 },
    )
  })

  test('counts every line once when patterns are merged', () => {
    fc.assert(
      fc.property(logLines, (lines) => {
        const miner = bareMiner()
        for (const line of lines) miner.observe(line, 'app')
        assert.equal(
          [...miner.clusters()].reduce((sum, cluster) => sum + cluster.lines, 0),
          lines.length,
        )
      }),
      { numRuns: 60 },
    )
  })

  test('never has more patterns than the maximum', () => {
    fc.assert(
      fc.property(logLines, fc.integer({ min: 10, max: 30 }), (lines, most) => {
        const miner = bareMiner(most)
        for (const line of lines) {
          miner.observe(line, 'app')
          assert.ok(miner.size <= most)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('never merges two lines that differ only in a plain word', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.nat(8), fc.boolean(), (words, place, end) => {
        const at = end ? words.length : Math.min(place, words.length)
        const with_ = (middle: string) => [...words.slice(0, at), middle, ...words.slice(at)].join(' ')
        assert.equal(templatesOf([with_('started'), with_('halted')]).length, 2)
      }),
      { numRuns: 100 },
    )
  })

  test('finds the pattern of a line again unless it was evicted', () => {
    fc.assert(
      fc.property(logLines, (lines) => {
        const miner = bareMiner()
        for (const line of lines) miner.observe(line, 'app')
        const { size } = miner
        for (const line of lines) miner.observe(line, 'app')
        assert.equal(miner.size, size)
      }),
      { numRuns: 60 },
    )
  })
})

const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'sigma', 'theta']

/** Headers of made-up software before the same message. */
const HEADERS: readonly (readonly [what: string, header: string])[] = [
  ['a Java stack', '2026-05-12 09:00:01,123 [main] INFO com.shop.Cart - '],
  ['a kernel', 'May 12 09:00:01 mercury kernel: '],
  ['a web server', '2026/05/12 09:00:01 [notice] '],
  ['a message broker', '[2026-05-12 09:00:01,123] WARN [Log Cleaner] kafka.log.Segment: '],
  ['a supercomputer', '1117838570 R02-M1 RAS KERNEL INFO '],
]

describe('words of the header', () => {
  for (const [what, header] of HEADERS) {
    test(`are no agreement between templates: ${what}`, () => {
      assert.equal(templatesOf(NAMES.map((name) => `${header}evicted ${name}`)).length, NAMES.length)
      assert.equal(templatesOf(NAMES.map((name) => `${header}the region ${name} was evicted`)).length, 1)
      assert.equal(templatesOf([`${header}evicted 17`, `${header}evicted alpha`]).length, 2)
    })
  }
})

describe('names after a noun', () => {
  const templates: readonly (readonly [what: string, line: (name: string) => string, template: string])[] = [
    ['a kernel', (name) => `session opened for user ${name} by 7`, 'session opened for user <*> by <*>'],
    ['a message broker', (name) => `7 messages in queue ${name} expired`, '<*> messages in queue <*> expired'],
    ['a database', (name) => `scan of table ${name} took 12 ms`, 'scan of table <*> took <*> ms'],
    ['a cluster', (name) => `lease moved to node ${name} again`, 'lease moved to node <*> again'],
  ]
  for (const [what, line, template] of templates) {
    test(`are variable with two of them in few lines, three of them in many: ${what}`, () => {
      assert.deepEqual(templatesOf(['kim', 'pat'].map(line)), [template])
      const often = Array.from({ length: 20 }, () => line('kim'))
      assert.equal(templatesOf([...often, line('pat')]).length, 2)
      assert.deepEqual(templatesOf([...often, line('pat'), line('ann')]), [template])
    })
  }

  test('are no errors, no words in capitals, and need a preposition', () => {
    const apart = [
      ['connection to host lost again', 'connection to host refused again'],
      ['moved to partition ONLINE of 7', 'moved to partition OFFLINE of 7'],
      ['the table orders was read', 'the table locked was read'],
    ]
    for (const lines of apart) assert.equal(templatesOf(lines).length, lines.length)
  })
})

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
