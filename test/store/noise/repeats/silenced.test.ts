import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { START } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from '../silences/rig.ts'

const FOLD = { mode: 'fold', remindMs: 4 * HOUR } as const

const given = (t: TestContext, startsAt: number) =>
  new SilenceRig(t, [silenceOf({ startsAt, endsAt: startsAt + HOUR })], {
    repeats: FOLD,
    channels: ['email'],
    maxBacklog: 100_000,
  })
const stateOf = (rig: SilenceRig, id: string) => rig.detail(id).deliveries[0]?.state

test('during a silence no reminder is sent; it comes at the end', (t) => {
  const rig = given(t, START + 210 * MINUTE)
  const sender = 'error_tracker'
  rig.incident('disk', { sender })
  rig.deliver()
  rig.now = START + MINUTE
  const repeat = rig.incident('disk', { sender })
  assert.equal(stateOf(rig, repeat), 'folded')
  rig.now = START + 241 * MINUTE
  rig.deliver()
  assert.equal(stateOf(rig, repeat), 'folded', 'the reminder would be due')
  const held = rig.incident('disk', { sender })
  assert.equal(stateOf(rig, held), 'held')
  rig.now = START + 272 * MINUTE
  rig.deliver()
  assert.deepEqual([stateOf(rig, repeat), stateOf(rig, held)], ['sent', 'sent'])
})

test('the message that a silence held is the first one of its problem', (t) => {
  const rig = given(t, START)
  const sender = 'error_tracker'
  const first = rig.incident('disk', { sender })
  assert.equal(stateOf(rig, first), 'held')
  rig.now += HOUR
  rig.deliver()
  assert.equal(stateOf(rig, first), 'sent')
  const repeat = rig.incident('disk', { sender })
  assert.equal(stateOf(rig, repeat), 'folded')
  rig.resolved('disk', { sender })
  rig.deliver()
  assert.equal(stateOf(rig, repeat), 'sent')
})
