import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerState } from '../../../src/domain/answer.ts'
import type { Dispatch } from '../../../src/domain/delivery/dispatch.ts'
import { fire, HOUR, MINUTE, repeat, given as repeating, send as sendAll } from '../noise/repeats/rig.ts'
import { draft, StoreRig } from '../support.ts'
import { answer, press, tell } from './rig.ts'

const PACE = { perSecond: 1, burst: 4 }
const statesOf = (dispatches: readonly Dispatch[]) =>
  dispatches.map((each) => ('answers' in each ? each.answers : undefined))
const next = (rig: StoreRig, changes: Parameters<typeof draft>[0] = {}): (AnswerState | undefined)[] => {
  const one = draft({ fingerprint: 'custom:db', ...changes })
  return statesOf(rig.commit({ drafts: [one] }, ['chatws', 'email']).dispatches)
}

test('without a channel that takes answers no message has a state', (t) => {
  const rig = new StoreRig(t)
  assert.deepEqual(next(rig), [undefined, undefined])
})

test('a firing message says what its problem is now, at the channels that take answers', (t) => {
  const rig = new StoreRig(t, { answering: ['chatws'] })
  const id = tell(rig)
  const at = rig.now
  const [chat, mail] = next(rig)
  const fresh = { phase: 'firing', acknowledged: false, silenced: false }
  const { subject, ...state } = chat as AnswerState
  assert.deepEqual([subject.kind, state, mail], ['incident', fresh, undefined])
  answer(rig.store, press(id))
  const last = { did: 'acknowledged', by: 'Ada Lovelace', at }
  const [{ subject: _, ...acknowledged } = {}] = next(rig)
  assert.deepEqual(acknowledged, { ...fresh, acknowledged: true, last })
  assert.deepEqual(next(rig, { status: 'resolved' }), [undefined, undefined])
})

test('a message that waits while its problem ends, and fires again, has no buttons', (t) => {
  const rig = new StoreRig(t, { answering: ['chatws'] })
  rig.spill({ fingerprint: 'custom:db' })
  rig.spill({ fingerprint: 'custom:db', status: 'resolved' })
  rig.spill({ fingerprint: 'custom:db' })
  assert.deepEqual(
    rig.claim('chatws').map(({ answers }) => answers?.phase),
    ['over', undefined, 'firing'],
  )
})

test('a revision of repeats, and a reminder, have the buttons of their problem while it fires', (t) => {
  for (const edits of [true, false]) {
    const rig = repeating(t, {
      answering: ['chatws'],
      storms: { chatws: { enable: true, rate: PACE, reading: PACE, withinMs: MINUTE, edits } },
    })
    fire(rig)
    sendAll(rig)
    repeat(rig, 3)
    rig.now += edits ? MINUTE : 4 * HOUR
    const [revision] = sendAll(rig)
    assert.deepEqual([revision?.kind, revision?.edits !== undefined], ['digest', edits])
    assert.deepEqual([revision?.repeats?.count, revision?.answers?.phase], [4, 'firing'])
  }
})
