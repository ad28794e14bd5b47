import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openDecide } from '../../src/policy/decide.ts'
import { load } from '../config/setup.ts'
import { labelsOf, NOON, settingsOf, subjectOf } from './setup.ts'

const examplesOf = (page: string) =>
  Array.from(
    readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g),
    ([, yaml = '']) => yaml,
  )
const examples = examplesOf('routing')

test('the examples of docs/on-call.md are accepted', () => {
  const [yaml = '', schedules = '', ...others] = examplesOf('on-call')
  assert.deepEqual(others, [])
  assert.equal(load(schedules).config.oncall.enable, false)
  const { oncall } = load(yaml, { env: { PAGERDUTY_ROUTING_KEY: 'R0UT1NG' } }).config
  assert.deepEqual([oncall.enable, oncall.provider, oncall.pagerduty.routingKey], [true, 'pagerduty', 'R0UT1NG'])
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
