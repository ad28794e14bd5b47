import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

const warnings = {
  conditions: [
    { field: 'service', values: ['db'], where: '' },
    { field: 'severity', values: ['warning'], where: '' },
  ],
}

test('two silences hold a problem: the newer incident stays held and is told at the end', (t) => {
  const rig = new SilenceRig(t, [
    silenceOf({ name: 'warnings', ...warnings }),
    silenceOf({ name: 'all', startsAt: START + 10 * MINUTE, endsAt: START + 2 * HOUR }),
  ])
  const first = rig.incident('disk', { severity: 'warning' })
  rig.at(20 * MINUTE)
  const second = rig.incident('disk', { severity: 'critical', title: 'disk is full' })
  rig.at(HOUR)
  assert.deepEqual(rig.states(first), ['chatws silenced'])
  assert.deepEqual(rig.states(second), ['chatws held'])
  assert.equal(rig.store.silences.state().held, 2)
  rig.takeTold()
  rig.at(2 * HOUR)
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: disk is full'])
  assert.equal(rig.store.silences.state().held, 0)
  rig.at(3 * HOUR)
  assert.deepEqual(rig.paged, ['trigger disk is full'])
})
