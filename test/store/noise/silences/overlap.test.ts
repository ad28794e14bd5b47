import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START, settlement } from '../../support.ts'
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

test('a silence of the configuration that has a new name goes on holding, and nothing is told', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.incident('disk')
  rig.now += 30 * MINUTE
  rig.configure([silenceOf({ name: 'disks' })])
  rig.deliver()
  assert.match(
    rig.takeTold().join(),
    /^chatws: 🔔 Silence "patches" \(Anna\) over: .* 1 held on by another silence, 0 still firing$/,
  )
  rig.at(HOUR)
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: disk'])
  rig.at(2 * HOUR)
  assert.deepEqual(rig.paged, ['trigger disk'])
})

test('a silence whose conditions are narrowed tells what it does not fit any more', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.incident('disk', { severity: 'critical' })
  rig.incident('fan', { severity: 'warning' })
  rig.now += 30 * MINUTE
  rig.configure([silenceOf(warnings)])
  rig.deliver()
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: disk'])
  rig.at(HOUR)
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: fan'])
})

test('a silence that ended with its problems does not begin again when its lines in the file move', (t) => {
  const at = (where: string) =>
    silenceOf({ untilResolved: true, where, conditions: [{ field: 'service', values: ['db'], where }] })
  const rig = new SilenceRig(t, [at('config.yaml:8')])
  rig.at(20 * MINUTE)
  rig.configure([at('config.yaml:9')])
  rig.incident('disk')
  rig.deliver()
  assert.deepEqual(rig.told, ['chatws: disk'])
})

test('what a silence held is told by the fallback at its end while its channel fails', (t) => {
  const rig = new SilenceRig(t, [silenceOf()], {
    channels: ['chatws', 'email'],
    fallbacks: { destinations: { chatws: { channel: 'email' } }, afterMs: 2 * MINUTE },
    decide: () => ({ destinations: [{ channel: 'chatws' }], priority: 'normal', rules: [] }),
  })
  const held = rig.incident('disk')
  rig.incident('cards', { service: 'payments' })
  const [cards] = rig.claim('chatws')
  assert.ok(cards)
  const verdict = { state: 'pending', at: START + 9 * HOUR } as const
  const failed = { outcome: 'retry', detail: 'no answer' } as const
  rig.turn({ settlements: [{ ...settlement(cards, verdict, failed), circuitOpen: true }] })
  rig.now += 2 * MINUTE
  rig.turn({})
  assert.deepEqual(rig.states(held), ['chatws held'])
  rig.now = START + HOUR
  assert.deepEqual(rig.turn({}).fellBack, { chatws: 1 })
  assert.deepEqual(rig.states(held), ['chatws pending', 'email pending'])
})
