import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../../src/domain/incident.ts'
import type { RepeatTrial } from '../../../../src/store/ports/noise.ts'
import type { StoreRig } from '../../support.ts'
import { draft } from '../../support.ts'
import { FOLD, fire, given, HOUR, MINUTE, REMIND, repeat, resolve, send } from './rig.ts'

/** Returns what a trial says of an alert of the problem, and then what became of the same alert. */
function triedAndDone(rig: StoreRig, changes: Partial<Draft> = {}) {
  const alert = { ...draft(), sender: 'error_tracker', fingerprint: 'db', severity: 'warning', ...changes } as const
  const { fingerprint, severity, status, sender, members } = alert
  const trial = { fingerprint, severity, status, sender, members, destinations: [{ channel: 'email' }] } as const
  const tried = rig.store.noise.tryRepeat({ ...trial, page: { waitMs: MINUTE } })
  const { deliveries, oncall } = rig.detail(fire(rig, changes))
  const { state, via } = deliveries[0] ?? {}
  return { tried, on: tried?.destinations[0], state, via, joined: oncall?.state === 'joined' }
}

test('a trial says of an alert what becomes of it when it comes', (t) => {
  const rig = given(t, { channels: ['email'], oncall: { enable: true, waitMs: MINUTE, provider: 'webhook' } })
  const { tried: first, on } = triedAndDone(rig)
  assert.deepEqual([on, first?.joins, first?.firingSince], [{ kind: 'message', because: 'first' }, false, undefined])
  const since = rig.now
  send(rig, 'email')

  rig.now += 1_000
  const begun = triedAndDone(rig)
  assert.deepEqual([begun.on, begun.via?.place], [{ kind: 'fold', digest: undefined, place: 1 }, 1])
  assert.deepEqual([begun.tried?.joins, begun.joined, begun.tried?.firingSince], [true, true, since])
  const next = triedAndDone(rig)
  assert.deepEqual(next.on, { kind: 'fold', digest: next.via?.digest, place: 2 })
  assert.equal(next.via?.place, 2)

  for (const [changes, because] of [
    [{ severity: 'critical' }, 'louder'],
    [{ severity: 'critical', sender: 'grouped_alerts', members: ['a'] }, 'new alert'],
    [{ status: 'resolved' }, 'resolved'],
    [{}, 'first'],
  ] as const) {
    const { on: message, via } = triedAndDone(rig, changes)
    assert.deepEqual([message, via ?? null], [{ kind: 'message', because }, null])
    send(rig, 'email')
  }
})

test('a trial changes nothing, and without folding it says nothing', (t) => {
  const rig = given(t, { channels: ['email'] })
  fire(rig)
  send(rig, 'email')
  const trial: RepeatTrial = {
    ...{ fingerprint: 'db', severity: 'warning', status: 'firing', sender: 'error_tracker', page: undefined },
    destinations: [{ channel: 'email' }, { channel: 'email', target: 'team' }],
  }
  const once = rig.store.noise.tryRepeat(trial)
  assert.deepEqual(once?.destinations, [
    { kind: 'fold', digest: undefined, place: 1 },
    { kind: 'message', because: 'not told' },
  ])
  assert.deepEqual(rig.store.noise.tryRepeat(trial), once)
  rig.now += REMIND
  assert.deepEqual(send(rig, 'email'), [])
  rig.reopen({ repeats: { ...FOLD, mode: 'each' } })
  assert.equal(rig.store.noise.tryRepeat(trial), undefined)
})

test('a trial knows of storms, full quotas and acknowledgements', (t) => {
  const rig = given(t, { channels: ['email'], maxBacklog: 40 })
  const id = fire(rig)
  send(rig, 'email')
  repeat(rig, 10)
  const full = triedAndDone(rig)
  assert.deepEqual([full.on, full.state], [{ kind: 'message', because: 'closed' }, 'pending'])
  assert.equal(full.tried?.joins, false)
  rig.store.operator.acknowledge(id, 'Ada')
  assert.equal(triedAndDone(rig).tried?.joins, true)
  rig.now += 5 * HOUR
  assert.equal(triedAndDone(rig).tried?.joins, false)
  resolve(rig)
  assert.deepEqual(triedAndDone(rig).on, { kind: 'message', because: 'first' })
})
