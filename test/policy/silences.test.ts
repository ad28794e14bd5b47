import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payload } from '../../src/domain/incident.ts'
import { firingAlerts, labelsOf, recognise } from '../../src/intake/recognise.ts'
import { conditionsOf } from '../../src/policy/silences/matcher-words.ts'
import { ofProblem } from '../../src/policy/silences/of-problem.ts'
import { compileSilence } from '../../src/policy/silences/silence.ts'

function fits(words: readonly string[], payload: Payload): boolean {
  const times = { startsAt: 0, endsAt: 1, untilResolved: false }
  const settings = { name: 's', where: '', conditions: conditionsOf(words), owner: 'o', comment: 'c', ...times }
  const { fits: fitsSubject } = compileSilence(settings, { labelsOf, alertsOf: firingAlerts })
  return fitsSubject({ ...recognise(payload), source: 'webhook', content: Buffer.from(JSON.stringify(payload)) })
}

const group = (...alerts: readonly (readonly [status: string, labels: Payload])[]): Payload => ({
  groupKey: 'k',
  status: 'firing',
  alerts: alerts.map(([status, labels]) => ({ status, labels: { alertname: 'Disk', ...labels } })),
})

test('a group fits only if every alert of it that fires does', () => {
  const [a, b] = [
    { instance: 'a', service: 'db' },
    { instance: 'b', service: 'web' },
  ] as const
  assert.equal(fits(['instance=a'], group(['firing', a])), true)
  assert.equal(fits(['instance=a'], group(['firing', a], ['firing', b])), false)
  assert.equal(fits(['instance=a'], group(['firing', a], ['resolved', b])), true)
  assert.equal(fits(['service=db'], group(['firing', a], ['firing', b])), false)
  assert.equal(fits(['instance=~a|b'], group(['firing', a], ['firing', b])), true)
})

test('of a group one firing alert is enough for a cause, and no cause is held', () => {
  const settings = {
    ...{ name: 's', where: '', owner: 'o', comment: 'c', startsAt: 0, endsAt: 1, untilResolved: false },
    ...{ conditions: conditionsOf(['site=b']), while: conditionsOf(['service=switch', 'instance=core']) },
  }
  const { fits: fitsSilence, isCause } = compileSilence(settings, { labelsOf, alertsOf: firingAlerts })
  const of = (payload: Payload) => {
    const subject = { ...recognise(payload), source: 'webhook', content: Buffer.from(JSON.stringify(payload)) } as const
    return [isCause(subject), fitsSilence(subject)]
  }
  const core = { site: 'b', service: 'switch', instance: 'core' }
  const host = { site: 'b', service: 'db', instance: 'h1' }
  assert.deepEqual(of(group(['firing', core])), [true, false])
  assert.deepEqual(of(group(['firing', host])), [false, true])
  assert.deepEqual(of(group(['firing', host], ['firing', core])), [true, false])
  assert.deepEqual(of(group(['firing', host], ['resolved', core])), [false, true])
  assert.deepEqual(of(group(['firing', { ...host, service: 'switch' }], ['firing', { ...core, service: 'db' }])), [
    false,
    true,
  ])
})

test('a silence of one problem fits a group of any size, by its fingerprint alone', () => {
  const firing = group(...Array.from({ length: 1_001 }, (_, n) => ['firing', { instance: `h${n}` }] as const))
  const subject = { ...recognise(firing), source: 'webhook', content: Buffer.from(JSON.stringify(firing)) } as const
  const fitsOf = (fingerprint: string) =>
    compileSilence(
      {
        ...ofProblem({ id: 1, fingerprint, title: 'Disk' }),
        ...{ owner: 'o', comment: 'c', startsAt: 0, endsAt: 1, untilResolved: false },
      },
      { labelsOf, alertsOf: firingAlerts },
    ).fits(subject)
  assert.equal(fitsOf(subject.fingerprint), true)
  assert.equal(fitsOf('*'), false)
})

test('conditions are read as Alertmanager writes them', () => {
  assert.deepEqual(
    conditionsOf(['service=db-*', 'title=~"disk.*"', 'team!=web', 'team!=shop', 'payload.a.b!~x']).map(
      ({ field, values }) => [field, values],
    ),
    [
      ['service', ['db-*']],
      ['title', ['/disk.*/']],
      ['labels.team', ['!web', '!shop']],
      ['payload.a.b', ['!/x/']],
    ],
  )
  assert.throws(() => conditionsOf(['service']), /is no condition/)
  assert.throws(() => conditionsOf(['a=1', 'a=2']), /second condition on labels\.a/)
})
