import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, load } from './setup.ts'

const given = (text: string) => `heartbeats:\n  - { name: a, ${text} }\n`

describe('heartbeats', () => {
  it('keeps lines, and has defaults', () => {
    const { config, warnings } = load(given('match: { service: backup }, every: 5m'))
    assert.deepEqual(config.heartbeats, [
      {
        name: 'a',
        where: 'config.yaml:2',
        conditions: [{ field: 'service', values: ['backup'], where: '' }],
        everyMs: 300_000,
        graceMs: 120_000,
        severity: 'critical',
      },
    ])
    assert.deepEqual(warnings, [])
  })

  const faults: readonly [text: string, issue: RegExp][] = [
    ['every: 5m', /^config\.yaml:2: heartbeats\.0\.match: needs a condition/],
    ['match: { service: a }', /heartbeats\.0\.every: /],
    ['match: { service: a }, every: 10ms', /heartbeats\.0\.every: /],
    ['match: { servce: a }, every: 5m', /match\.servce: is not a field/],
    ['match: { service: "/(/" }, every: 5m', /match\.service: is not a regular expression/],
    ['match: { service: }, every: 5m', /match\.service: is empty/],
    [
      'match: { service: a }, every: 5m }\n  - { name: a, match: { service: b }, every: 5m',
      /heartbeats\.1\.name: is also the name of heartbeats\.0/,
    ],
  ]
  for (const [text, issue] of faults) it(`refuses ${text}`, () => assert.match(issueOf(given(text)), issue))
})
