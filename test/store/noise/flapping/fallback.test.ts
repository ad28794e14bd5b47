import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settlement } from '../../support.ts'
import { fire, MINUTE, resolve, send, stateOf } from '../repeats/rig.ts'
import { flip, given, lines } from './rig.ts'

const BY_MAIL = { destinations: { chatws: { channel: 'email' } }, afterMs: 2 * MINUTE } as const

test('while its channel is out of order the fallback tells of each change, also of those that were folded before', (t) => {
  const decide = () => ({ destinations: [{ channel: 'chatws' }], priority: 'normal', rules: [] }) as const
  const rig = given(t, { channels: ['chatws', 'email'], fallbacks: BY_MAIL, decide })
  flip(rig, 5)
  const before = resolve(rig)
  const [revision] = rig.claim('chatws')
  assert(revision)
  const outcome = settlement(
    revision,
    { state: 'pending', at: rig.now + 1_000 },
    { outcome: 'retry', detail: 'no answer' },
  )
  rig.turn({ settlements: [{ ...outcome, circuitOpen: true }] })
  rig.now += 2 * MINUTE
  const during = fire(rig)
  for (const id of [before, during]) {
    const { deliveries } = rig.detail(id)
    assert.deepEqual(
      deliveries.map(({ channel, state, reason }) => [channel, state, reason]),
      [
        ['chatws', 'folded', null],
        ['email', 'pending', 'fallback of chatws'],
      ],
    )
  }
  assert.equal(send(rig, 'email').length, 2)
  assert.match(lines(rig)[0] ?? '', /^post 🔁 flapping: fired ×1, resolved ×1/, 'the channel itself goes on trying')
  assert.deepEqual([stateOf(rig, before), stateOf(rig, during)], ['sent', 'sent'])
})
