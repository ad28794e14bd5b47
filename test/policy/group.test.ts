import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { groupKey, groupValues, openGroupOf } from '../../src/policy/bundles/group.ts'
import { type GroupPlacement, placeInGroup } from '../../src/policy/bundles/group-place.ts'
import { openDefaultDecide } from '../../src/policy/default.ts'
import { SubjectReader } from '../../src/policy/fields.ts'
import { CHANNELS, decideOf, labelsOf, NOON, settingsOf, subjectOf } from './setup.ts'

type Over = Parameters<typeof subjectOf>[0]
const readerOf = (over: Over) => new SubjectReader(subjectOf(over), labelsOf)
const keyOf = (by: readonly string[], over: Over, rule = '') => groupKey(rule, by, groupValues(by, readerOf(over)))

describe('the group of an incident', () => {
  const by = ['labels.alertname', 'labels.cluster']
  const labels = { alertname: 'DiskFull', cluster: 'eu' }

  it('is that of all incidents with equal values', () => {
    const key = keyOf(by, { payload: { labels } })
    assert.equal(
      key,
      keyOf(by, { title: 'another', status: 'resolved', payload: { labels: { ...labels, host: 'a' } } }),
    )
    assert.notEqual(key, keyOf(by, { payload: { labels: { ...labels, cluster: 'us' } } }))
    assert.notEqual(key, keyOf(by, { payload: { labels } }, 'another rule'))
  })
  it('needs one of the values at least', () => {
    assert.equal(keyOf(by, { payload: {} }), undefined)
    assert.equal(keyOf(by, { payload: { labels: { alertname: '' } } }), undefined)
    assert.equal(typeof keyOf(by, { payload: { labels: { cluster: 'eu' } } }), 'string')
    assert.equal(typeof keyOf([], {}), 'string', 'without fields all are one group')
  })
  it('has the values that all alerts of the payload share', () => {
    const alerts = [
      { alertname: 'DiskFull', cluster: 'eu' },
      { alertname: 'DiskFull', cluster: 'us' },
    ]
    const group = openGroupOf(labelsOf)(subjectOf({ payload: { alerts } }), { rule: 'a', by, intervalMs: 1 })
    assert.deepEqual(group?.named(), { 'labels.alertname': 'DiskFull' })
    assert.equal(group?.key, keyOf(by, { payload: { alerts: [{ alertname: 'DiskFull' }] } }, 'a'))
  })
  it('may be one of fields and paths, and shows a long value cut', () => {
    const region = 'r'.repeat(10_000)
    const group = openGroupOf(labelsOf)(subjectOf({ payload: { meta: { region } } }), {
      rule: '',
      by: ['service', 'payload.meta.region'],
      intervalMs: 1,
    })
    assert.deepEqual(group?.named(), { service: 'storage', 'payload.meta.region': `${'r'.repeat(200)}…` })
  })
  it('depends on nothing but rule, fields and values', () => {
    const value = fc.constantFrom('', 'a', 'b', 'a,b')
    const incident = fc.record({ x: value, y: value, other: fc.string() })
    fc.assert(
      fc.property(incident, incident, fc.constantFrom('', 'a'), (one, two, rule) => {
        const keys = [one, two].map((labels) => keyOf(['labels.x', 'labels.y'], { payload: { labels } }, rule))
        assert.equal(keys[0] === keys[1], one.x === two.x && one.y === two.y)
        assert.equal(keys[0] === undefined, one.x === '' && one.y === '')
      }),
    )
  })
})

describe('the grouping of a decision', () => {
  const noise = 'noise: { group: { by: [labels.alertname], interval: 1m } }\n'
  const decide = decideOf(`${noise}routes:
  - { name: first, match: { service: a* }, continue: true }
  - { name: own, match: { service: [a, b] }, group: { by: [] } }
  - { name: never, match: { service: c }, group: none }
`)
  const grouping = (service: string) => decide(subjectOf({ service }), undefined, NOON).group
  const common = { rule: '', by: ['labels.alertname'], intervalMs: 60_000 }

  it('is that of the first rule that says something, else that of all', () => {
    assert.deepEqual(grouping('a'), { rule: 'own', by: [], intervalMs: 300_000 })
    assert.deepEqual(grouping('alpha'), common)
    assert.equal(grouping('c'), undefined)
    assert.deepEqual(grouping('other'), common)
  })
  it('counts for requests that choose their targets too', () => {
    const overrides = { targets: { chatws: 'ops' } }
    assert.deepEqual(decide(subjectOf({ service: 'x' }), overrides, NOON).group, common)
  })
  it('counts without any rule; off, a decision has none', () => {
    assert.deepEqual(openDefaultDecide(settingsOf(`${CHANNELS}${noise}`))(subjectOf(), undefined, NOON).group, common)
    assert.ok(!('group' in openDefaultDecide(settingsOf(CHANNELS))(subjectOf(), undefined, NOON)))
  })
})

describe('the place of an incident in its group', () => {
  const open = { level: 1, isShared: true, othersFire: true, isFull: false }
  const alert = { status: 'firing', severity: 'high', priority: 'normal', news: 'first' } as const
  const resolved = { ...alert, status: 'resolved', news: 'resolved' } as const
  const cases: readonly [what: string, of: Parameters<typeof placeInGroup>, is: GroupPlacement][] = [
    ['the first alert begins it', [undefined, alert], 'begins'],
    ['a resolution begins none', [undefined, resolved], 'single'],
    ['a group of one problem is told as without one', [{ ...open, isShared: false }, alert], 'single'],
    ['a further problem gets a place', [open, alert], 'fold'],
    ['a louder alert is a message', [open, { ...alert, severity: 'critical', priority: 'high' }], 'louder'],
    ['an urgent one that is not louder rings', [open, { ...alert, priority: 'high' }], 'rings'],
    ['an urgent repeat does not', [open, { ...alert, priority: 'high', news: undefined }], 'fold'],
    ['one that is louder than its problem rings', [open, { ...alert, priority: 'high', news: 'louder' }], 'rings'],
    ['a resolution gets a place while others fire', [open, resolved], 'fold'],
    ['the last one ends it', [{ ...open, othersFire: false }, resolved], 'ends'],
    ['a full group takes no more', [{ ...open, isFull: true }, alert], 'single'],
  ]
  for (const [what, of, is] of cases) it(what, () => assert.equal(placeInGroup(...of), is))
})
