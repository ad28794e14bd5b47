import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../../src/domain/incident.ts'
import { draft, type StoreRig } from '../../support.ts'
import { fire, MINUTE } from '../repeats/rig.ts'
import { flip, given, ONCALL, page } from './rig.ts'

/** Returns what a trial says of an alert of the problem, and then what became of the same alert. */
function triedAndDone(rig: StoreRig, changes: Partial<Draft> = {}) {
  rig.now += 1_000
  const alert = { ...draft(), sender: 'error_tracker', fingerprint: 'db', severity: 'warning', ...changes } as const
  const { fingerprint, severity, status, sender, members } = alert
  const facts = { fingerprint, severity, status, sender, members }
  const page = status === 'firing' ? { waitMs: ONCALL.waitMs } : undefined
  const tried = rig.store.noise.tryRepeat({ ...facts, destinations: [{ channel: 'chatws' }], page })
  const { deliveries, oncall } = rig.detail(fire(rig, changes))
  const { via = null } = deliveries[0] ?? {}
  assert.equal(tried?.joins ?? false, oncall?.state === 'joined')
  return { on: tried?.destinations[0], isFlapping: tried?.isFlapping, via }
}

test('a trial says of an alert of a problem that flaps what becomes of it when it comes', (t) => {
  const rig = given(t, { oncall: ONCALL })
  flip(rig, 4)
  const fifth = triedAndDone(rig)
  assert.deepEqual([fifth.on, fifth.via], [undefined, null], 'it does not flap yet')
  const begun = triedAndDone(rig, { status: 'resolved' })
  assert.deepEqual([begun.on, begun.isFlapping], [{ kind: 'fold', digest: undefined, place: 1 }, true])
  assert.deepEqual([begun.via?.kind, begun.via?.place], ['flapping', 1])
  const next = triedAndDone(rig)
  assert.deepEqual(next.on, { kind: 'fold', digest: next.via?.digest, place: 2 })
  assert.equal(next.via?.place, 2)
  const louder = triedAndDone(rig, { severity: 'critical' })
  assert.deepEqual([louder.on, louder.via], [{ kind: 'message', because: 'louder' }, null])
  assert.equal(triedAndDone(rig, { severity: 'critical' }).via?.place, 3)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  assert.equal(triedAndDone(rig, { status: 'resolved' }).via?.place, 4)
  assert.equal(triedAndDone(rig).via?.place, 5)
})
