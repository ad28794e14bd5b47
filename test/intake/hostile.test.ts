import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Payload, type Recognized, SENDERS } from '../../src/domain/incident.ts'
import { labelsOf, recognise, singleLine } from '../../src/intake/recognise.ts'
import { labelOf } from '../../src/policy/fields.ts'
import { SAMPLES } from '../../src/render/samples/samples.ts'

const FAMILY = '👩‍👩‍👧‍👦'

function assertBounded(payload: Payload): void {
  const { title, service, severity, status, fingerprint }: Recognized = recognise(payload)
  assert.ok(title.length > 0 && title.length <= 200)
  assert.ok(service.length <= 100)
  assert.ok(severity.length <= 32)
  assert.ok(fingerprint.length > 0 && fingerprint.length <= 255)
  assert.ok(status === 'firing' || status === 'resolved')
  for (const text of [title, service, severity, fingerprint]) {
    assert.doesNotMatch(text, /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e]/u)
    assert.equal(text, text.trim())
  }
  assert.equal(severity, severity.toLowerCase())
  for (const sender of SENDERS)
    for (const labels of labelsOf(sender, payload))
      for (const name of [...KNOWN_KEYS, 'toString']) assert.equal(typeof labelOf(labels, name), 'string')
}

const KNOWN_KEYS = [
  'tags',
  'Metrics',
  ...[
    'alerts',
    'labels',
    'annotations',
    'commonLabels',
    'groupLabels',
    'groupKey',
    'status',
    'state',
    'title',
    'orgId',
  ],
  ...['data', 'issue', 'event', 'project', 'metadata', 'AlarmName', 'NewStateValue', 'Trigger', 'Dimensions', 'log'],
  ...['integration', 'event_action', 'dedup_key', 'payload', 'custom_details', 'action', 'alias', 'details'],
  ...['stream', 'kubernetes', 'Source', 'PatternID', 'service', 'severity', 'alertname', '__proto__', 'constructor'],
]
const { tree: hostile } = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<unknown>('firing', 'resolved', 'AI Agent', null, true, -0, 1e300, '', ' \n'),
    fc.string({ unit: 'binary', maxLength: 400 }),
  ),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...KNOWN_KEYS), fc.string()), tie('tree'), { maxKeys: 6 }),
  tree: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('tree'), { maxLength: 3 }), tie('object')),
}))

describe('recognise of a hostile payload', () => {
  it('never throws and keeps its bounds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...KNOWN_KEYS), hostile, { maxKeys: 10 }), (payload) =>
        assertBounded(payload as Payload),
      ),
      { numRuns: 200 },
    )
  })

  it('accepts any value anywhere in a known shape', () => {
    const values = [null, 'x', 7, [], [[]], {}, [null], { length: 3 }, { labels: 'x' }, '\u0000'.repeat(500)]
    for (const { payload } of SAMPLES) for (const broken of mutants(payload, values)) assertBounded(broken)
  })

  it('ignores inherited properties', () => {
    const payload: Payload = Object.create({ alerts: [{ labels: { alertname: 'inherited' } }], title: 'inherited' })
    assert.equal(recognise(payload).sender, 'custom')
    assert.equal(recognise(payload).title, 'Incident')
    assert.equal(recognise(JSON.parse('{"__proto__":{"title":"x"}}')).title, 'Incident')
  })

  it('has a short fingerprint for a long identity, the same each time', () => {
    const long = (end: string) => recognise({ alerts: [], groupKey: 'k'.repeat(100_000) + end }).fingerprint
    assert.equal(long('a'), long('a'))
    assert.notEqual(long('a'), long('b'))
  })
})

/** The payload with each of its values, at any depth, replaced by each of `values`. */
function* mutants(payload: Payload, values: readonly unknown[]): Generator<Payload> {
  for (const [key, value] of Object.entries(payload)) {
    for (const other of values) yield { ...payload, [key]: other }
    if (typeof value === 'object' && value !== null)
      for (const inner of mutants(value as Payload, values))
        yield { ...payload, [key]: Array.isArray(value) ? Object.values(inner) : inner }
  }
}

describe('singleLine', () => {
  it('is one line without control characters', () => {
    assert.equal(singleLine('  a\r\n\tb\u0000c\u2028d \u202e', 50), 'a b c d')
  })
  it('is cut between graphemes', () => {
    assert.equal(singleLine(FAMILY.repeat(5), 30), `${FAMILY.repeat(2)}…`)
    assert.equal(singleLine('abcdef', 6), 'abcdef')
    assert.equal(singleLine('abcdefg', 6), 'abcde…')
  })
  it('is never empty for a single grapheme longer than the line', () => {
    assert.equal(singleLine(`a${'\u0301'.repeat(500)}`, 10).length, 10)
  })
})
