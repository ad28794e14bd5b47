import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, issuesOf, load } from './setup.ts'

describe('noise.group', () => {
  it('is off unless it is switched on', () => {
    assert.equal(load('').config.noise.group, undefined)
    assert.equal(load('noise: { group: none }').config.noise.group, undefined)
    assert.equal(load('noise: { group: }').config.noise.group, undefined)
  })

  it('takes what incidents of a group have in common, and an interval', () => {
    const { config, warnings } = load(
      'noise: { group: { by: [labels.alertname, payload.meta.region, service] } }\nroutes: [{ name: a, group: { by: [], interval: 1h } }, { name: b, group: none }, { name: c }]\n',
    )
    assert.deepEqual(config.noise.group, {
      by: ['labels.alertname', 'payload.meta.region', 'service'],
      intervalMs: 300_000,
    })
    assert.deepEqual(
      config.routes.map(({ group }) => group),
      [{ by: [], intervalMs: 3_600_000 }, 'none', undefined],
    )
    assert.ok(warnings.every((warning) => !warning.includes('group')))
  })

  it('refuses what is none, with its line', () => {
    assert.match(
      issueOf('noise:\n  group:\n    by: [labels.]\n'),
      /^config\.yaml:3: noise\.group\.by\.0: is not a field/,
    )
    assert.match(
      issueOf(
        'noise: { group: { by: [labels.a, labels.b, labels.c, labels.d, labels.e, labels.f, labels.g, labels.h, service] } }',
      ),
      /noise\.group\.by: has more than 8 entries/,
    )
    assert.equal(issuesOf('noise: { group: { by: 1, interval: soon } }').length, 2)
  })
})
