import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RE2JS } from 're2js'
import type { Payload } from '../../src/domain/incident.ts'
import { labelsOf, recognise } from '../../src/intake/recognise.ts'
import { openDecide } from '../../src/policy/decide.ts'
import { NOON, settingsOf } from './setup.ts'

const MIB = 1_048_576
const RULES = 100

/** Decides one payload by 100 rules with patterns on labels and payload; returns the work that it took. */
function work(t: TestContext, payload: Payload) {
  const rules = Array.from(
    { length: RULES },
    (_, n) =>
      `  - { name: r${n}, match: { labels.a: "/.*x${n}.*y/", payload.deep.text: "/(.*a.*){8}${n}/" }, to: none }\n`,
  )
  const onPayload = Array.from(
    { length: RULES },
    (_, n) => `  - { name: p${n}, match: { payload.list: "/.+z${n}/" } }\n`,
  )
  const decide = openDecide(settingsOf(`routes:\n${rules.join('')}${onPayload.join('')}`), labelsOf)
  const content = Buffer.from(JSON.stringify(payload))
  const subject = { ...recognise(payload), source: 'webhook' as const, content }
  const parse = t.mock.method(JSON, 'parse')
  const match = t.mock.method(RE2JS.prototype, 'testExact')
  decide(subject, undefined, NOON)
  const compared = match.mock.calls.map(({ arguments: [text] }) => String(text).length)
  const done = { parsed: parse.mock.callCount(), matches: compared.length, longest: Math.max(0, ...compared) }
  parse.mock.restore()
  match.mock.restore()
  return { ...done, bytes: content.length }
}

const hostile: readonly (readonly [name: string, payload: Payload])[] = [
  [
    'alerts without end',
    { groupKey: 'g', alerts: Array.from({ length: 40_000 }, (_, n) => ({ labels: { a: `x${n}` } })) },
  ],
  ['one long label', { labels: { a: 'xa'.repeat(MIB / 2) } }],
  [
    'a label of many alerts, each long',
    { groupKey: 'g', alerts: Array.from({ length: 400 }, (_, n) => ({ labels: { a: `${n}${'a'.repeat(2_600)}` } })) },
  ],
  [
    'a list without end',
    { list: Array.from({ length: 100_000 }, (_, n) => `text${n}`), deep: { text: 'a'.repeat(1_000) } },
  ],
  ['tags without end', { tags: Array.from({ length: 100_000 }, (_, n) => `a${n}:x`) }],
]
for (const [name, payload] of hostile)
  test(`1 MiB of ${name} is parsed once, and RE2 reads at most 32 values of 256 characters for each condition`, (t) => {
    const { parsed, matches, longest, bytes } = work(t, payload)
    assert.ok(bytes > MIB * 0.75, `${bytes} bytes`)
    assert.equal(parsed, 1)
    assert.ok(matches > 0 && matches <= 2 * RULES * 32, `${matches} matches`)
    assert.ok(longest <= 256, `${longest} characters`)
  })

test('globs with stars need no RE2, however many alerts there are', (t) => {
  const routes = Array.from({ length: RULES }, (_, n) => `  - { name: r${n}, match: { labels.a: "*x*${n}*y" } }\n`)
  const decide = openDecide(settingsOf(`routes:\n${routes.join('')}`), labelsOf)
  const alerts = Array.from({ length: 40_000 }, (_, n) => ({ labels: { a: `x${n}` } }))
  const payload = { groupKey: 'g', alerts }
  const match = t.mock.method(RE2JS.prototype, 'testExact')
  const content = Buffer.from(JSON.stringify(payload))
  decide({ ...recognise(payload), source: 'webhook', content }, undefined, NOON)
  assert.equal(match.mock.callCount(), 0)
  match.mock.restore()
})

test('a payload nested without end is read along the path only', (t) => {
  const payload: Payload = JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`)
  const { parsed, matches } = work(t, payload)
  assert.deepEqual([parsed, matches <= 2 * RULES], [1, true])
})

test('a payload is not parsed for rules on fields', (t) => {
  const decide = openDecide(settingsOf('routes: [{ name: a, match: { service: "x*", labels.a: b } }]'), labelsOf)
  const parse = t.mock.method(JSON, 'parse')
  decide({ ...recognise({ service: 'y' }), source: 'webhook', content: Buffer.from('{}') }, undefined, NOON)
  assert.equal(parse.mock.callCount(), 0)
  parse.mock.restore()
})
