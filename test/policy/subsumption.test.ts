import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openDecide } from '../../src/policy/decide.ts'
import { neverReached } from '../../src/policy/subsumption.ts'
import { load } from '../config/setup.ts'
import { NOON, settingsOf, subjectOf } from './setup.ts'

/** Names of the rules that are never reached, with the rule that takes their incidents. */
function unreached(...rules: readonly string[]): string[] {
  const yaml = `schedules: { s: [{ cron: "0 8 * * *", for: 1h }] }\nroutes:\n${rules.map((rule, at) => `  - { name: r${at}, ${rule} }\n`).join('')}`
  return neverReached(load(yaml).config.routes).map(
    ({ rule, by }) => `${rule.name} by ${by.map(({ name }) => name).join(' and ')}`,
  )
}

const pairs: readonly [wide: string, narrow: string, covered: boolean][] = [
  ['to: none', 'match: { service: a }', true],
  ['to: none', 'to: none', true],
  ['match: { service: a }', 'match: { service: a }', true],
  ['match: { service: a }', 'match: { service: a, title: b }', true],
  ['match: { service: a, title: b }', 'match: { service: a }', false],
  ['match: { service: a }', 'match: { title: a }', false],
  ['match: { service: [a, b] }', 'match: { service: b }', true],
  ['match: { service: b }', 'match: { service: [a, b] }', false],
  ['match: { service: "pay*" }', 'match: { service: payments }', true],
  ['match: { service: "pay*" }', 'match: { service: "pay-*-eu" }', true],
  ['match: { service: "pay*" }', 'match: { service: "pa*" }', false],
  ['match: { service: "*pay" }', 'match: { service: "*-pay" }', false],
  ['match: { service: "pay?" }', 'match: { service: "pays" }', true],
  ['match: { service: "pay?" }', 'match: { service: "pay??" }', false],
  ['match: { service: "/pay.*/" }', 'match: { service: payments }', true],
  ['match: { service: "/pay.*/" }', 'match: { service: "/pay.*/" }', true],
  ['match: { service: "/pay.*/" }', 'match: { service: "pay*" }', false],
  ['match: { service: "*" }', 'match: { service: "/pay.*/" }', true],
  ['match: { service: "*" }', 'match: { service: "!a" }', true],
  ['match: { service: "!a" }', 'match: { service: b }', true],
  ['match: { service: "!a" }', 'match: { service: [a, b] }', false],
  ['match: { service: "!a" }', 'match: { service: ["!a", "!b"] }', true],
  ['match: { service: ["!a", "!b"] }', 'match: { service: "!a" }', false],
  ['match: { service: a }', 'match: { service: "!b" }', false],
  ['match: { min_severity: high }', 'match: { min_severity: critical }', true],
  ['match: { min_severity: high }', 'match: { min_severity: warning }', false],
  ['match: { min_severity: high }', 'match: { severity: [fatal, error] }', true],
  ['match: { min_severity: high }', 'match: { severity: [fatal, info] }', false],
  ['match: { min_severity: high }', 'match: { severity: "!info" }', false],
  ['match: { labels.team: "w*" }', 'match: { labels.team: web, labels.env: prod }', true],
  ['match: { labels.team: "w*" }', 'match: { payload.team: web }', false],
  ['match: { service: a }, continue: true', 'match: { service: a }', false],
  ['match: { service: a }, during: s', 'match: { service: a }', false],
  ['match: { service: a }', 'match: { service: a }, during: s', true],
]
for (const [wide, narrow, covered] of pairs)
  test(`${narrow} is ${covered ? 'never' : 'perhaps'} reached behind ${wide}`, () => {
    assert.deepEqual(unreached(wide, narrow), covered ? ['r1 by r0'] : [])
  })

const several: readonly (readonly [...rules: readonly string[], covered: boolean])[] = [
  ['match: { severity: [fatal, error] }', 'match: { severity: info }', 'match: { severity: [error, info] }', true],
  ['match: { severity: fatal }', 'match: { severity: info }', 'match: { severity: [error, info] }', false],
  ['match: { min_severity: critical }', 'match: { severity: error }', 'match: { severity: [fatal, error] }', true],
  ['match: { status: firing }', 'match: { status: resolved }', 'match: { service: a }', true],
  ['match: { status: firing }', 'match: { status: resolved, service: b }', 'match: { service: a }', false],
  [
    'match: { labels.team: web }',
    'match: { labels.team: "s*" }',
    'match: { labels.team: [web, shop], title: a }',
    true,
  ],
  ['match: { labels.team: web }', 'match: { labels.team: shop }', 'match: { labels.team: ["!web", "!shop"] }', false],
  [
    'match: { service: a, status: firing }',
    'match: { service: b }',
    'match: { service: a, status: resolved }',
    'match: { service: [a, b] }',
    true,
  ],
]
for (const [...rules] of several) {
  const covered = rules.pop()
  test(`${rules.at(-1)} is ${covered ? 'never' : 'perhaps'} reached behind ${rules.slice(0, -1).join(' and ')}`, () => {
    const names = unreached(...(rules as string[])).map((each) => each.split(' by ')[0])
    assert.deepEqual(names, covered ? [`r${rules.length - 1}`] : [])
  })
}

test('the rules that together take all of another are named', () => {
  assert.deepEqual(
    unreached('match: { service: x }', 'match: { service: a }', 'match: { service: b }', 'match: { service: [a, b] }'),
    ['r3 by r1 and r2'],
  )
})

test('a rule that is listed as never reached decides no incident', () => {
  const service = fc.constantFrom('a', 'b*', '*b', 'ab', '!a', '!b*', '/a|b/', '')
  const severity = fc.constantFrom('min_severity: high', 'severity: [error, info]', 'severity: critical', '')
  const rule = fc.tuple(service, severity, fc.boolean()).map(([name, level, goesOn]) => ({ name, level, goesOn }))
  const incident = fc.record({
    service: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }),
    severity: fc.constantFrom('critical', 'error', 'info', ''),
  })
  let listed = 0
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 2, maxLength: 5 }),
      fc.array(incident, { minLength: 20, maxLength: 20 }),
      (rules, incidents) => {
        const written = rules.map(
          ({ name, level, goesOn }, at) =>
            `  - { name: r${at}, match: { service: "${name}"${level && `, ${level}`} }, continue: ${goesOn && at < rules.length - 1} }\n`,
        )
        const settings = settingsOf(`routes:\n${written.join('')}`)
        const never = new Set(neverReached(settings.routes).map(({ rule }) => rule.name))
        listed += never.size
        const decide = openDecide(settings, () => [])
        for (const each of incidents)
          for (const { name } of decide(subjectOf(each), undefined, NOON).rules) assert.ok(!never.has(name), name)
      },
    ),
    { numRuns: 40 },
  )
  assert.ok(listed > 0)
})

test('a configuration warns of it with both lines, and of rules without effect', () => {
  const { warnings } = load(`
alert: { chatws: { enable: true, token: t, channel_id: C } }
routes:
  - { name: all pay, match: { service: pay* }, to: [chatws, email] }
  - { name: payments, match: { service: payments } }
  - { name: rest, continue: true }
`)
  assert.deepEqual(warnings, [
    'config.yaml:5: routes.1: payments is never reached: all pay (config.yaml:4) takes every incident that it fits; put it first',
    'config.yaml:4: routes.0.to.1: email is not enabled, so nothing is sent to it',
    'config.yaml:6: routes.2.continue: has no effect: no rule follows',
  ])
})
