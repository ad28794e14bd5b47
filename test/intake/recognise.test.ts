import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Payload, Recognized } from '../../src/domain/incident.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { SAMPLES } from '../../src/render/samples/samples.ts'

function sample(name: string): Payload {
  const found = SAMPLES.find((candidate) => candidate.name === name)
  assert.ok(found, name)
  return found.payload
}
const facts = ({ title, service, severity, status }: Recognized) => [title, service, severity, status]
const print = (payload: Payload) => recognise(payload).fingerprint

describe('recognise', () => {
  for (const { name, sender, payload } of SAMPLES) {
    it(`knows the sender of "${name}"`, () => assert.equal(recognise(payload).sender, sender))
  }
})

describe('grouped alerts', () => {
  const firing = sample('Grouped alerts: one firing')
  const resolved = sample('Grouped alerts: resolved')

  it('take title, service and severity from the common labels', () => {
    assert.deepEqual(facts(recognise(firing)), ['DiskAlmostFull', 'orders-db', 'critical', 'firing'])
    assert.deepEqual(facts(recognise(resolved)), ['DiskAlmostFull', 'orders-db', 'critical', 'resolved'])
  })
  it('with different names have the first name, the number of others, and the highest severity', () => {
    const mixed = recognise(sample('Grouped alerts: different alerts'))
    assert.deepEqual(facts(mixed), ['DiskAlmostFull and 1 more', 'orders-db', 'critical', 'firing'])
  })
  it('have the severity of the alerts that still fire', () => {
    const alert = (status: string, severity: string) => ({ status, labels: { severity } })
    assert.equal(recognise({ alerts: [alert('resolved', 'critical'), alert('firing', 'Warning')] }).severity, 'warning')
  })
  it('keep their fingerprint when they resolve and share it with no other group', () => {
    assert.equal(print(firing), print(resolved))
    assert.notEqual(print(firing), print({ ...firing, groupKey: 'another' }))
  })
  it('without a group key have a fingerprint of sorted labels', () => {
    const { groupKey: _, groupLabels: __, ...bare } = firing
    const reordered = { ...bare, commonLabels: Object.fromEntries(Object.entries(bare.commonLabels ?? {}).reverse()) }
    assert.equal(print(bare), print(reordered))
    assert.notEqual(print(bare), print({ ...bare, commonLabels: { alertname: 'Other' } }))
  })
  it('without common labels have a fingerprint of those of their alerts, in any order', () => {
    const of = (...prints: string[]) => print({ alerts: prints.map((fingerprint) => ({ labels: {}, fingerprint })) })
    assert.equal(of('a', 'b'), of('b', 'a'))
    assert.notEqual(of('a', 'b'), of('a', 'c'))
  })
  it('without a status are resolved when every alert is', () => {
    const of = (...statuses: string[]) =>
      recognise({ alerts: statuses.map((status) => ({ status, labels: {} })) }).status
    assert.equal(of('resolved', 'resolved'), 'resolved')
    assert.equal(of('resolved', 'firing'), 'firing')
  })
})

describe('dashboard alerts', () => {
  it('are resolved by the state ok and keep their fingerprint', () => {
    const firing = recognise(sample('Dashboard alert: firing'))
    const resolved = recognise(sample('Dashboard alert: resolved'))
    assert.deepEqual(facts(firing), ['QueueGrows', 'mail-relay', 'warning', 'firing'])
    assert.equal(resolved.status, 'resolved')
    assert.equal(firing.fingerprint, resolved.fingerprint)
  })
  it('of old versions have one rule and no list', () => {
    const old = { ruleId: 5, ruleName: 'CPU of the build hosts', state: 'alerting', title: '[Alerting] CPU', orgId: 1 }
    assert.deepEqual(facts(recognise(old)), ['CPU of the build hosts', '', '', 'firing'])
    assert.equal(recognise({ ...old, state: 'ok' }).status, 'resolved')
    assert.equal(print(old), print({ ...old, state: 'ok', title: '[OK] CPU' }))
  })
})

describe('error tracker', () => {
  const created = sample('Error tracker: new issue')
  it('names the issue, its project and its level', () => {
    const title = 'TypeError: taxes.rate is not a function'
    assert.deepEqual(facts(recognise(created)), [title, 'storefront', 'error', 'firing'])
  })
  it('resolves by the action or by the status of the issue', () => {
    assert.equal(recognise({ ...created, action: 'resolved' }).status, 'resolved')
    const data = { issue: { id: '1', title: 't', status: 'resolved' } }
    assert.equal(recognise({ action: 'updated', data }).status, 'resolved')
    assert.equal(print(created), print(sample('Error tracker: resolved')))
  })
  it('gives an event the fingerprint of its issue', () => {
    const event = { data: { event: { title: 'x', level: 'error', project: 112, issue_id: '5120044871' } } }
    assert.equal(print(event), print(created))
  })
  it('reads metric alerts', () => {
    const alert = { id: '9', alert_rule: { id: '31', name: 'p95' }, projects: ['storefront'] }
    const of = (action: string) =>
      recognise({ action, data: { metric_alert: alert, description_title: 'Critical: p95' } })
    assert.deepEqual(facts(of('critical')), ['Critical: p95', 'storefront', 'critical', 'firing'])
    assert.equal(of('resolved').fingerprint, of('critical').fingerprint)
    assert.equal(of('resolved').status, 'resolved')
  })
})

describe('cloud alarm', () => {
  it('resolves by the state OK and keeps its fingerprint', () => {
    const firing = recognise(sample('Cloud alarm: firing'))
    assert.deepEqual(facts(firing), ['api-5xx-rate', 'app/public-api/50dc6c495c0c9188', 'alarm', 'firing'])
    const resolved = recognise(sample('Cloud alarm: resolved'))
    assert.equal(resolved.status, 'resolved')
    assert.equal(resolved.fingerprint, firing.fingerprint)
  })
  it('without an ARN has a fingerprint of account, region and name', () => {
    const of = (AWSAccountId: string) => print({ AlarmName: 'a', NewStateValue: 'ALARM', Region: 'r', AWSAccountId })
    assert.notEqual(of('1'), of('2'))
  })
})

describe('log forwarder', () => {
  const record = sample('Log forwarder')
  it('has its first line, without time and level, as the title', () => {
    assert.deepEqual(facts(recognise(record)), ['payment 48213 was not captured', 'payments', 'error', 'firing'])
  })
  it('has one fingerprint for lines that differ in numbers, times and ids', () => {
    const later = '2026-03-10 01:00:00 ERROR payment 99a1 was not captured'
    assert.equal(print(record), print({ ...record, log: later }))
    assert.notEqual(print(record), print({ ...record, log: 'ERROR payment 48213 was refunded' }))
    assert.notEqual(print(record), print({ ...record, kubernetes: { labels: { app: 'ledger' } } }))
  })
  it('understands a line that is JSON', () => {
    const log = '{"ts":1773061327,"level":"WARN","msg":"slow query\\nselect 1"}\n'
    assert.deepEqual(facts(recognise({ log, stream: 'stdout' })), ['slow query', '', 'warn', 'firing'])
  })
  it('takes a broken JSON line as text', () => {
    assert.equal(recognise({ log: '{"msg": "cut o', stream: 'stdout' }).title, '{"msg": "cut o')
  })
})

describe('agent', () => {
  it('is recognised by its Source, and a new pattern and its burst have different fingerprints', () => {
    const finding = sample('AI agent: a pattern spikes')
    const title = 'Connections to the session cache are refused'
    assert.deepEqual(facts(recognise(finding)), [title, 'login', 'high', 'firing'])
    assert.equal(print(finding), print({ ...finding, Status: 'resolved', Frequency: 1 }))
    assert.notEqual(print(finding), print({ ...finding, Verdict: 'unknown' }))
  })
})

describe('custom', () => {
  it('reads common names of fields', () => {
    assert.deepEqual(facts(recognise(sample('Free form: other words'))), [
      'Nightly backup failed',
      'vault',
      'high',
      'firing',
    ])
    const printer = recognise(sample('Free form: service, logs, user'))
    assert.deepEqual(facts(printer), ['no paper in tray 2 job 5518 waits', 'label-printer', '', 'firing'])
  })
  it('resolves by status, state or alertState in any case', () => {
    for (const key of ['status', 'state', 'alertState'])
      assert.equal(recognise({ [key]: 'RESOLVED' }).status, 'resolved', key)
    for (const value of ['unresolved', 'ok', 7, null, ['resolved']])
      assert.equal(recognise({ status: value }).status, 'firing')
  })
  it('takes an explicit key before service and title', () => {
    assert.equal(print({ dedup_key: 'k1', title: 'a' }), print({ dedup_key: 'k1', title: 'b' }))
    assert.equal(
      print({ service: 's', title: 'a', severity: 'low' }),
      print({ service: 's', title: 'a', status: 'resolved' }),
    )
    assert.notEqual(print({ service: 's', title: 'a' }), print({ service: 's', title: 'b' }))
    assert.notEqual(print({ dedup_key: 's: a' }), print({ service: 's', title: 'a' }))
  })
  it('never has the fingerprint of another kind of sender', () => {
    assert.notEqual(print({ fingerprint: '112/5120044871' }), print(sample('Error tracker: new issue')))
  })
  it('always has a title', () => {
    assert.equal(recognise({}).title, 'Incident')
    assert.equal(recognise({ ServiceName: 'press' }).title, 'press')
    assert.equal(recognise({ Marker: 'm-7' }).title, 'm-7')
    assert.equal(recognise({ title: '\u0000\u0007' }).title, 'Incident')
  })
})

it('the alerts of a group say when they changed, and which of them fire', () => {
  const alert = (fingerprint: string, changes: object = {}) => ({
    status: 'firing',
    labels: {},
    fingerprint,
    ...changes,
  })
  const group = (alerts: readonly object[], status = 'firing') => recognise({ groupKey: 'k', status, alerts })
  const at = (time: string) => ({ startsAt: time, endsAt: '0001-01-01T00:00:00Z' })
  const two = group([alert('a', at('2030-01-01T00:00:00.123456789Z')), alert('b', at('2030-01-01T00:01:00Z'))])
  assert.deepEqual([two.changedAt, two.members], [Date.UTC(2030, 0, 1, 0, 1), ['a', 'b']])
  const ended = { status: 'resolved', startsAt: '2030-01-01T09:00:00Z', endsAt: '2030-01-01T10:00:00Z' }
  const partly = group([alert('a', at('2030-01-01T00:00:00Z')), alert('b', ended)])
  assert.deepEqual([partly.changedAt, partly.members], [Date.UTC(2030, 0, 1), ['a']])
  const over = group([alert('a', ended)], 'resolved')
  assert.deepEqual([over.changedAt, over.members], [Date.UTC(2030, 0, 1, 10), undefined])
  const unknown = [
    group([alert('')]),
    group([alert('a'.repeat(65))]),
    group(Array.from({ length: 65 }, (_, n) => alert(`a${n}`))),
    group([null, 7, alert('a')] as object[]),
    recognise({ title: 'x' }),
  ]
  for (const { changedAt, members } of unknown) assert.deepEqual([changedAt, members], [undefined, undefined])
  const alarm = { AlarmName: 'CPU', NewStateValue: 'OK', StateChangeTime: '2030-01-01T00:00:00.000+0000' }
  assert.equal(recognise(alarm).changedAt, Date.UTC(2030, 0, 1))
})

describe('event of PagerDuty', () => {
  const trigger = sample('PagerDuty event: trigger')
  it('has the summary as title, the component as service, and one fingerprint for trigger and resolve', () => {
    const [fired, resolved] = [recognise(trigger), recognise(sample('PagerDuty event: resolve'))]
    const words = ['The shop does not answer within 10 s', 'shop', 'critical']
    assert.deepEqual(
      [facts(fired), facts(resolved)],
      [
        [...words, 'firing'],
        [...words, 'resolved'],
      ],
    )
    assert.deepEqual([fired.fingerprint, resolved.fingerprint], Array(2).fill('pagerduty_event:uptime:checks/17'))
  })
  it('of another integration is another problem', () => {
    assert.notEqual(print(trigger), print({ ...trigger, integration: 'other' }))
  })
  it('has the source as service without a component, and is an error without a severity of the field', () => {
    const of = (payload: Payload) => recognise({ ...trigger, payload: { summary: 's', ...payload } })
    assert.deepEqual(facts(of({ source: 'db-1', severity: 'Warning' })), ['s', 'db-1', 'warning', 'firing'])
    for (const severity of ['very bad', '', 3, undefined]) assert.equal(of({ severity }).severity, 'error')
  })
  it('keeps its sender, whatever other fields it has', () => {
    const other = { Source: 'AI Agent', alerts: [{ labels: {} }], commonLabels: {}, status: 'resolved', AlarmName: 'a' }
    assert.deepEqual(recognise({ ...other, ...trigger }), recognise(trigger))
  })
})

describe('alert of Opsgenie', () => {
  const created = sample('Opsgenie alert: created')
  it('has message, entity and priority, and one fingerprint for create and close', () => {
    const words = ['The mail queue grows', 'mail-relay', 'p2']
    const closed = recognise(sample('Opsgenie alert: closed'))
    assert.deepEqual(
      [facts(recognise(created)), facts(closed)],
      [
        [...words, 'firing'],
        [...words, 'resolved'],
      ],
    )
    assert.deepEqual([print(created), closed.fingerprint], Array(2).fill('opsgenie_alert:legacy:queue-mail'))
  })
  it('has the service of its details first, the source last, and P3 without a priority', () => {
    const of = (more: Payload) => recognise({ integration: 'i', action: 'create', alias: 'a', message: 'm', ...more })
    assert.equal(of({ details: { service: 'billing' }, entity: 'e', source: 's' }).service, 'billing')
    assert.deepEqual([of({ source: 's' }).service, of({ priority: 'P9' }).severity], ['s', 'p3'])
  })
})
