import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redacted } from '../../../src/config/secrets.ts'
import { issueOf, load } from '../setup.ts'

test('nothing is asked of a file: there are no people, and the four buttons', () => {
  const { config, warnings } = load('')
  assert.deepEqual(config.people, new Map())
  assert.deepEqual(config.answers, {
    allow: 'everybody',
    buttons: [
      { action: 'acknowledge' },
      { action: 'resolve' },
      { action: 'silence', minutes: 60 },
      { action: 'silence_until_resolved' },
    ],
    quietForMs: 600_000,
    maxMs: 86_400_000,
    copies: 20,
    links: false,
  })
  assert.deepEqual(warnings, [])
  assert.deepEqual(redacted(config).answers, {
    allow: 'everybody',
    buttons: ['acknowledge', 'resolve', 'silence_1h', 'silence_until_resolved'],
    quiet_for: '10m',
    max: '24h',
    copies: 20,
    links: false,
  })
})

test('people have the ids that are given, numbers included, and their key without a name', () => {
  const { config } = load(`people:
  ada: { name: Ada Lovelace, ids: { chatws: U0123ABCD, msgapp: 123456789012345678, ntfy: ada } }
  ben: { ids: { msgapp: "" } }
  cleo:
`)
  assert.deepEqual(
    config.people,
    new Map([
      ['ada', { name: 'Ada Lovelace', ids: { chatws: 'U0123ABCD', msgapp: '123456789012345678', ntfy: 'ada' } }],
      ['ben', { name: 'ben', ids: {} }],
      ['cleo', { name: 'cleo', ids: {} }],
    ]),
  )
})

test('buttons can be chosen, with a silence of any time, also by a variable', () => {
  const wanted = [{ action: 'silence', minutes: 90 }, { action: 'resolve' }]
  assert.deepEqual(load('answers: { buttons: [silence_1h30m, resolve] }').config.answers.buttons, wanted)
  const env = { ANSWERS_BUTTONS: '[silence_90m, resolve]', ANSWERS_QUIET_FOR: '1h' }
  const { answers } = load('', { env }).config
  assert.deepEqual([answers.buttons, answers.quietForMs], [wanted, 3_600_000])
})

/** `channel`: the text is of its section. */
const FAULTS: readonly [text: string, issue: RegExp, channel?: string][] = [
  ['people: { Ada: {} }', /^config\.yaml:1: people\.Ada: must be named with 1 to 40 lower-case/],
  ['people: { ada: { name: "Ada (ops)" } }', /people\.ada\.name: must be .*without brackets/],
  ['people: { ada: { name: "Ada\\u202e" } }', /people\.ada\.name: must be/],
  [`people: { ada: { name: ${'a'.repeat(81)} } }`, /people\.ada\.name: must be at most 80/],
  ['people: { ada: { ids: { chatws: ada } } }', /people\.ada\.ids\.chatws: must be the id of a user/],
  ['people: { ada: { ids: { msgapp: "@ada" } } }', /people\.ada\.ids\.msgapp: must be the number of a user/],
  ['answers: { allow: nobody }', /answers\.allow: must be one of everybody, people/],
  ['answers: { buttons: [ack] }', /answers\.buttons\.0: must be acknowledge, resolve, .*\(got "ack"\)/],
  ['answers: { buttons: [silence_1x] }', /answers\.buttons\.0: must be acknowledge/],
  ['answers: { buttons: [silence_90s] }', /answers\.buttons\.0: must be whole minutes, at most 30 days/],
  ['answers: { buttons: [silence_31d] }', /answers\.buttons\.0: must be whole minutes, at most 30 days/],
  ['answers: { buttons: [silence_1h, silence_60m] }', /answers\.buttons: has a button twice/],
  ['answers: { buttons: [] }', /answers\.buttons: must be a list of 1 to 8 buttons/],
  ['answers: { quiet_for: 30s }', /answers\.quiet_for: must be a time from 1m/],
  ['answers: { quiet_for: 25h }', /answers\.quiet_for: must be a time from 1m to 24h/],
  ['answers: { max: 31d }', /answers\.max: must be a time from 1m to 30d/],
  ['answers: { copies: 0 }', /answers\.copies: must be a whole number from 1 to 200/],
  ['answers: { secret_token: a.b }', /secret_token: must be at most 256 letters/, 'msgapp'],
  [`answers: { secret_token: ${'a'.repeat(257)} }`, /secret_token: must be at most 256 letters/, 'msgapp'],
  ['answers: { mode: socket }', /answers\.mode: must be one of off, poll, webhook/, 'msgapp'],
]
for (const [text, issue, channel] of FAULTS)
  test(`refuses ${text.slice(0, 60)}`, () =>
    assert.match(
      issueOf(channel ? `alert: { ${channel}: { enable: true, token: t, channel_id: c, ${text} } }` : text),
      issue,
    ))

test('refuses more than 500 people', () => {
  const people = Array.from({ length: 501 }, (_, at) => `  p${at}: {}`)
  assert.match(issueOf(`people:\n${people.join('\n')}\n`), /people: must have at most 500 people/)
})
