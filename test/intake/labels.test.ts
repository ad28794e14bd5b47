import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payload } from '../../src/domain/incident.ts'
import { labelsOf, recognise } from '../../src/intake/recognise.ts'
import { labelOf } from '../../src/policy/fields.ts'

/** Returns the values of a label, one for each alert. */
function values(payload: Payload, name: string): string[] {
  return labelsOf(recognise(payload).sender, payload).map((labels) => labelOf(labels, name))
}

test('of grouped alerts each alert has its own labels, and those of the group', () => {
  const payload = {
    groupLabels: { cluster: 'eu', team: 'group' },
    commonLabels: { team: 'web' },
    alerts: [{ labels: { pod: 'a' } }, { labels: { pod: 'b', team: 'shop' } }, {}],
  }
  assert.deepEqual(values(payload, 'pod'), ['a', 'b', ''])
  assert.deepEqual(values(payload, 'team'), ['web', 'shop', 'web'])
  assert.deepEqual(values(payload, 'cluster'), ['eu', 'eu', 'eu'])
  assert.deepEqual(values({ ...payload, orgId: 1 }, 'pod'), ['a', 'b', ''])
  assert.deepEqual(values({ ...payload, alerts: [] }, 'team'), ['web'])
})

test('of other senders: tags, dimensions, labels of the pod', () => {
  const one: readonly [payload: Payload, name: string, value: string][] = [
    [{ ruleName: 'r', state: 'alerting', tags: { host: 'a' } }, 'host', 'a'],
    [{ data: { event: { tags: [['environment', 'prod']] } } }, 'environment', 'prod'],
    [{ data: { issue: { tags: [{ key: 'release', value: '1.2' }] } } }, 'release', '1.2'],
    [
      { log: 'x', stream: 'stderr', kubernetes: { labels: { 'app.kubernetes.io/name': 'api' } } },
      'app.kubernetes.io/name',
      'api',
    ],
    [
      { AlarmName: 'a', NewStateValue: 'ALARM', Trigger: { Dimensions: [{ name: 'Queue', value: 'q' }] } },
      'Queue',
      'q',
    ],
    [
      {
        AlarmName: 'a',
        NewStateValue: 'ALARM',
        Trigger: { Metrics: [{ MetricStat: { Metric: { Dimensions: [{ Name: 'Queue', Value: 'q' }] } } }] },
      },
      'Queue',
      'q',
    ],
    [{ title: 'x', labels: { code: 500, ok: true } }, 'code', '500'],
    [{ title: 'x', tags: ['team:web', 'plain', 'url:http://a'] }, 'url', 'http://a'],
    [{ title: 'x', tags: { team: 'web' } }, 'team', 'web'],
  ]
  for (const [payload, name, value] of one) assert.deepEqual(values(payload, name), [value], name)
  assert.deepEqual(values({ Source: 'AI Agent', labels: { a: 'b' } }, 'a'), [])
})

test('inherited properties are no labels', () => {
  assert.deepEqual(values({ title: 'x', labels: {} }, 'constructor'), [''])
  assert.deepEqual(values(JSON.parse('{"title":"x","labels":{"__proto__":{"team":"web"}}}'), 'team'), [''])
})

test('of doors: the name of the key, which no field of the sender replaces, then what the API has for labels', () => {
  const details = { integration: 'forged', team: 'shop', nested: { a: 1 } }
  const event = { integration: 'kuma', event_action: 'trigger', dedup_key: 'k' }
  const payload = { source: 'db-1', group: 'storage', custom_details: { ...details, source: 'forged' } }
  for (const [name, value] of [
    ['integration', 'kuma'],
    ['source', 'db-1'],
    ['group', 'storage'],
    ['team', 'shop'],
    ['nested', ''],
  ] as const)
    assert.deepEqual(values({ ...event, payload }, name), [value])
  const alert = { integration: 'legacy', action: 'create', alias: 'a', details, tags: ['zone:eu', 'team:other'] }
  for (const [name, value] of [
    ['integration', 'legacy'],
    ['team', 'shop'],
    ['zone', 'eu'],
  ] as const)
    assert.deepEqual(values(alert, name), [value])
})
