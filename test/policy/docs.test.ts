import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { coverage } from '../../src/config/checks/coverage.ts'
import { openDecide } from '../../src/policy/decide.ts'
import { load } from '../config/setup.ts'
import { labelsOf, NOON, settingsOf, subjectOf } from './setup.ts'

const examplesOf = (page: string) =>
  Array.from(
    readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g),
    ([, yaml = '']) => yaml,
  )
const examples = examplesOf('routing')

test('check finds no error in the examples of docs/on-call.md', () => {
  const variables = ['PAGERDUTY_ROUTING_KEY', 'SLACK_TOKEN', 'ADA_PHONE', 'BEN_PD', 'PD_KEY', 'PD_BOSS', 'CALLS_SECRET']
  const env = Object.fromEntries(variables.map((name) => [name, `value-of-${name}`]))
  const loaded = examplesOf('on-call').map((yaml) => load(yaml, { env }))
  for (const { config, warnings } of loaded) {
    assert.deepEqual(warnings, [])
    assert.deepEqual(coverage(config, Date.UTC(2026, 10, 1)).errors, [])
  }
  const [first] = loaded
  const { enable, provider, pagerduty } = first?.config.oncall ?? {}
  assert.deepEqual([enable, provider, pagerduty?.routingKey], [true, 'pagerduty', 'value-of-PAGERDUTY_ROUTING_KEY'])
  const escalations = loaded.map(({ config }) => [...(config.oncallRules?.escalations.keys() ?? [])].join())
  assert.deepEqual(escalations, ['', '', 'both', 'office', 'office,payments'])
})

test('the examples of docs/routing.md are accepted; those of single parts stand in a whole configuration', () => {
  assert.equal(examples.length, 3)
  const channels = examples[0]?.slice(0, examples[0].indexOf('schedules:')) ?? ''
  for (const [at, yaml] of examples.entries())
    assert.equal(load(at === 0 ? yaml : channels + yaml).config.routes.length, [3, 2, 2][at])
})

test('the rules of the first example do what the page says', () => {
  const decide = openDecide(settingsOf(examples[0] ?? ''), labelsOf)
  const outcome = (over: Parameters<typeof subjectOf>[0], now = NOON) => {
    const { rules, page, destinations } = decide(subjectOf(over), undefined, now)
    return [rules[0]?.name ?? 'default', destinations.length, page?.waitMs, page?.target]
  }
  const batch = { severity: 'error', payload: { labels: { team: 'batch' } } }
  assert.deepEqual(outcome({ service: 'payments' }), ['payments', 3, 60_000, 'payments'])
  assert.deepEqual(outcome({ service: 'payments', severity: 'info' }), ['chatter', 0, 180_000, undefined])
  assert.deepEqual(outcome(batch), ['default', 2, 180_000, undefined])
  assert.deepEqual(outcome(batch, NOON + 8 * 3_600_000), ['batch at night', 1, undefined, undefined])
})
