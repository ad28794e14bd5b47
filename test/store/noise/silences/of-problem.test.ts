import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ofProblem } from '../../../../src/policy/silences/of-problem.ts'
import type { CompileSilence } from '../../../../src/policy/silences/settings.ts'
import { compileForTests, HOUR, SilenceRig, silenceOf } from './rig.ts'

const silenceOfProblem = (id: number, fingerprint: string) =>
  silenceOf(ofProblem({ id, fingerprint, title: fingerprint }))

for (const fingerprint of ['*', '!disk', '/d.*/', 'd?sk', ''])
  test(`a silence of the problem ${JSON.stringify(fingerprint)} holds it, and no other`, (t) => {
    const rig = new SilenceRig(t)
    const first = rig.incident(fingerprint)
    rig.deliver()
    rig.takeTold()
    rig.store.silences.add(silenceOfProblem(1, fingerprint), true)
    const second = rig.incident(fingerprint)
    for (const other of ['disk', 'desk', 'd', 'other']) if (other !== fingerprint) rig.incident(other)
    rig.deliver()
    assert.deepEqual(rig.takeTold(), ['chatws: disk', 'chatws: desk', 'chatws: d', 'chatws: other'])
    assert.deepEqual([rig.states(first), rig.states(second)], [['chatws sent'], ['chatws held']])
    rig.at(HOUR)
    assert.deepEqual(rig.takeTold().slice(1), [`chatws: ${fingerprint}`])
  })

test('the conditions that a problem names fit no other problem', (t) => {
  const rig = new SilenceRig(t)
  rig.incident('*')
  rig.now += 1_000
  rig.turn({})
  const { fingerprint = '' } = rig.store.problems.detail(1)?.silence ?? {}
  rig.store.silences.add(silenceOf({ conditions: [{ field: 'fingerprint', values: [fingerprint], where: '' }] }), true)
  rig.incident('other')
  rig.deliver()
  assert.deepEqual(rig.takeTold(), ['chatws: other'])
})

test('silences of other problems cost an incident no comparison', (t) => {
  let compared = 0
  const compile: CompileSilence = (settings) => {
    const compiled = compileForTests(settings)
    return {
      ...compiled,
      fits(subject) {
        compared++
        return compiled.fits(subject)
      },
    }
  }
  const rig = new SilenceRig(t, [], { silences: { compile, configured: [] } })
  for (let id = 1; id <= 100; id++) rig.store.silences.add(silenceOfProblem(id, `p${id}`), true)
  compared = 0
  const held = rig.incident('p7')
  rig.incident('p101')
  rig.deliver()
  assert.deepEqual([rig.takeTold(), rig.states(held)], [['chatws: p101'], ['chatws held']])
  assert.equal(compared, 0)
})

test('a silence of one problem outlives a restart', (t) => {
  const rig = new SilenceRig(t)
  rig.store.silences.add(silenceOfProblem(1, 'p*'), true)
  rig.reopen()
  const held = rig.incident('p*')
  rig.incident('p1')
  rig.deliver()
  assert.deepEqual([rig.takeTold(), rig.states(held)], [['chatws: p1'], ['chatws held']])
  const [silence] = rig.store.silences.list({ limit: 1 }).silences
  assert.deepEqual([silence?.problem, silence?.name, silence?.match], [1, 'p*', { fingerprint: '/p\\*/' }])
})
