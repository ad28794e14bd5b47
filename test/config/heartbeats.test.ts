import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redacted, secretValues } from '../../src/config/secrets.ts'
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
        maxRunMs: 120_000,
        severity: 'critical',
      },
    ])
    assert.deepEqual(warnings, [])
  })

  it('takes pings at times of day, and shows no uuid', () => {
    const uuid = '0F5A9B1E-1111-4222-8333-123456789ABC'
    const { config } = load(given(`slug: job, uuid: ${uuid}, cron: "0 3 * * *", time_zone: Europe/Berlin, max_run: 2h`))
    const [heartbeat] = config.heartbeats
    assert.deepEqual(heartbeat, {
      name: 'a',
      where: 'config.yaml:2',
      conditions: [],
      slug: 'job',
      uuid: uuid.toLowerCase(),
      cron: { times: '0 3 * * *', timeZone: 'Europe/Berlin' },
      graceMs: 120_000,
      maxRunMs: 7_200_000,
      severity: 'critical',
    })
    assert.doesNotMatch(JSON.stringify(redacted(config)), /0F5A9B1E/i)
    assert.ok(secretValues(config).includes(uuid))
  })

  const faults: readonly [text: string, issue: RegExp][] = [
    ['slug: Job, every: 5m', /heartbeats\.0\.slug: must be/],
    ['uuid: 12, every: 5m', /heartbeats\.0\.uuid: must be/],
    ['slug: a, every: 5m, cron: "0 3 * * *"', /heartbeats\.0\.cron: has no place beside/],
    ['slug: a, cron: "0 3 * *"', /heartbeats\.0\.cron: /],
    ['slug: a, cron: "0 3 * * *", time_zone: Berlin', /heartbeats\.0\.time_zone: is not a time zone/],
    ['slug: a, every: 5m, time_zone: UTC', /heartbeats\.0\.time_zone: has no effect/],
    [
      'slug: a, every: 5m }\n  - { name: b, slug: a, every: 5m',
      /heartbeats\.1\.slug: is also the slug of heartbeats\.0/,
    ],
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
