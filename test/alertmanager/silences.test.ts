import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionsOf, matchersOf } from '../../src/alertmanager/conditions.ts'
import { compileMatchers } from '../../src/alertmanager/matchers.ts'
import {
  isChange,
  type PostedSilence,
  readSilence,
  settingsOf,
  silenceNumber,
  uuidOf,
} from '../../src/alertmanager/silences.ts'
import { labelsOf } from '../../src/intake/recognise.ts'
import { SubjectReader } from '../../src/policy/fields.ts'
import { compileFits } from '../../src/policy/silences/silence.ts'
import { randomFrom } from '../harness/random.ts'

const NOW = Date.parse('2026-11-01T12:00:00Z')
const VALUES = ['', 'x\ny', ...'a ab db-1 * a* ? ! !a / // /a/ a/b A ü . a.b | a|b \\d [a]'.split(' ')]
const EXPRESSIONS = ['', '.*', '.+', 'a|b', 'a.*', '(a|ab)?', '[a-z]+', '/a/', '\\d+', 'db-\\d', '!a', 'a|', '^a$']

const reader = (labels: object) => {
  const payload = { version: '4', groupLabels: {}, commonLabels: labels, alerts: [{ status: 'firing', labels }] }
  const subject = {
    sender: 'grouped_alerts',
    source: 'alertmanager',
    service: 's',
    title: 't',
    severity: 'critical',
    status: 'firing',
    fingerprint: 'f',
    content: Buffer.from('{}'),
  } as const
  return new SubjectReader(subject, labelsOf, payload)
}

test('conditions mean what the matchers mean, and back again', () => {
  for (const operator of ['=', '!=', '=~', '!~'] as const)
    for (const value of operator.endsWith('~') ? EXPRESSIONS : VALUES) {
      const matcher = { name: 'x', value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') }
      const theirs = compileMatchers([matcher])
      const conditions = conditionsOf([matcher])
      const ours = compileFits(conditions)
      const again = matchersOf(conditions)
      const shown = compileMatchers(again)
      for (const text of [undefined, ...VALUES]) {
        const labels: { [name: string]: string } = text === undefined || text === '' ? {} : { x: text }
        const wanted = theirs(labels)
        assert.equal(ours(reader(labels)), wanted, `x${operator}${JSON.stringify(value)} of ${JSON.stringify(text)}`)
        assert.equal(shown(labels), wanted, `${JSON.stringify(again)} of ${JSON.stringify(text)}`)
      }
    }
})

test('several matchers on one label all have to fit', () => {
  const fits = compileFits(
    conditionsOf([
      { name: 'x', value: 'a.*', isRegex: true, isEqual: true },
      { name: 'x', value: 'ab', isRegex: false, isEqual: false },
    ]),
  )
  assert.deepEqual(
    ['a', 'ab', 'b'].map((x) => fits(reader({ x }))),
    [true, false, false],
  )
})

test('a name with the prefix means a field', () => {
  const fits = compileFits(conditionsOf([{ name: 'tocsin_service', value: 's', isRegex: false, isEqual: true }]))
  assert.equal(fits(reader({ tocsin_service: 'other' })), true)
})

test('lists, globs and expressions of the configuration are shown as expressions', () => {
  const shown = (...values: string[]) => matchersOf([{ field: 'service', values }])[0]
  assert.deepEqual(shown('db'), { name: 'tocsin_service', value: 'db', isRegex: false, isEqual: true })
  assert.deepEqual(shown('db-*', 'a.b'), {
    name: 'tocsin_service',
    value: '(?:db-.*)|(?:a\\.b)',
    isRegex: true,
    isEqual: true,
  })
  assert.deepEqual(shown('!/a|b/'), { name: 'tocsin_service', value: 'a|b', isRegex: true, isEqual: false })
})

test('the id of a silence is its number as a UUID; other UUIDs are unknown', () => {
  const random = randomFrom(7)
  for (let nth = 0; nth < 100; nth++) {
    const id = Math.floor(random() * 2 ** 40)
    assert.equal(silenceNumber(uuidOf(id)), id)
  }
  assert.equal(silenceNumber('7d4ddc15-3d8c-4b5f-8f0d-6d7c9d2f8a10'), undefined)
})

const BODY = {
  matchers: [{ name: 'a', value: 'b', isRegex: false }],
  startsAt: '2026-11-01T12:00:00Z',
  endsAt: '2026-11-01T14:00:00.000Z',
  createdBy: '',
  comment: '',
}

test('an empty creator and comment have names, and a begin in the past is now', () => {
  const settings = settingsOf(readSilence({ ...BODY, startsAt: '2026-11-01T11:00:00Z' }, NOW), NOW)
  assert.deepEqual([settings.owner, settings.comment, settings.startsAt], ['alertmanager API', 'no comment', NOW])
})

test('a silence that holds everything, has no end, or is over is refused', () => {
  const matcher = (name: string, value: string, isRegex = false) => ({ matchers: [{ name, value, isRegex }] })
  for (const change of [
    ...[{ matchers: [] }, matcher('a', ''), matcher('a', '.*', true), matcher('a', '(', true), matcher('', 'a')],
    ...[{ endsAt: undefined }, { endsAt: 'tomorrow' }, { annotations: { a: 1 } }],
    { endsAt: '2026-11-01T11:00:00Z', startsAt: '2026-11-01T10:00:00Z' },
  ])
    assert.throws(() => readSilence({ ...BODY, ...change }, NOW), JSON.stringify(change))
})

test('a live silence with equal matchers and begin is changed in place', () => {
  const posted: PostedSilence = readSilence({ ...BODY, id: uuidOf(3) }, NOW)
  const live = {
    id: 3,
    state: 'active',
    settings: settingsOf(posted, NOW),
    starts_at: '2026-11-01T12:00:00.400Z',
    ends_at: null,
    changedAt: NOW,
  } as const
  assert.equal(isChange(live, posted, NOW), true)
  assert.equal(isChange({ ...live, state: 'ended' }, posted, NOW), false)
  assert.equal(isChange(live, { ...posted, startsAt: NOW + 2_000 }, NOW), false)
  assert.equal(isChange({ ...live, state: 'scheduled' }, { ...posted, startsAt: NOW + 2_000 }, NOW), true)
  assert.equal(
    isChange(live, { ...posted, matchers: [{ name: 'a', value: 'c', isRegex: false, isEqual: true }] }, NOW),
    false,
  )
})
