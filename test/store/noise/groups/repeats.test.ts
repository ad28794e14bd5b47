import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageDispatch } from '../../../../src/domain/delivery/dispatch.ts'
import { FOLD } from '../repeats/rig.ts'
import { alert, given, MINUTE, messageOf, pass, send, tryAlert, viaOf } from './rig.ts'

const lines = (sent: readonly MessageDispatch[]) =>
  sent.map(({ edits, group }) => [edits, group?.problems, group?.alerts])

test('repeats of the first problem are told by the group, and not by an edit of its own, also where the second one was louder', (t) => {
  const rig = given(t, { repeats: FOLD })
  const first = alert(rig, 'a')
  send(rig)
  const message = messageOf(rig, first)
  rig.now += 5_000
  alert(rig, 'a')
  alert(rig, 'b', { severity: 'critical' })
  send(rig)
  alert(rig, 'c')
  assert.deepEqual(lines(pass(rig, 5 * MINUTE)), [[message, 3, 4]])
})

test('a refused edit of repeats is not tried again over the lines of the group', (t) => {
  const rig = given(t, { repeats: FOLD })
  const first = alert(rig, 'a')
  send(rig)
  const message = messageOf(rig, first)
  alert(rig, 'a')
  rig.now += MINUTE
  const [edit] = rig.claim('chatws')
  alert(rig, 'b')
  assert(edit)
  rig.settle(edit, { state: 'pending', at: rig.now + MINUTE }, { startedAt: rig.now })
  assert.deepEqual(lines(pass(rig, 5 * MINUTE)), [
    [message, 2, 2],
    [message, 2, 3],
  ])
})

test('a trial counts the repeats that the group takes over with its second problem', (t) => {
  const rig = given(t, { repeats: FOLD })
  for (const host of ['a', 'a', 'a']) alert(rig, host)
  const said = tryAlert(rig, 'b')
  const via = viaOf(rig, alert(rig, 'b'))
  assert.deepEqual([said, via?.place], [{ kind: 'fold', digest: via?.digest, place: 3, inGroup: true }, 3])
})
