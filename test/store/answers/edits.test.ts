import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alert, grouped, send as sendGrouped } from '../noise/groups/rig.ts'
import { fire, HOUR, MINUTE, repeat, given as repeating, send as sendAll } from '../noise/repeats/rig.ts'
import { StoreRig } from '../support.ts'
import { ANSWERING, answer, chatOf, edited, press, pressOf, tell } from './rig.ts'

test('the message of a group shows what a person did to one of its problems, also to one that was folded', (t) => {
  const rig = new StoreRig(t, { ...grouped(), ...ANSWERING })
  const first = alert(rig, 'a')
  sendGrouped(rig)
  const second = alert(rig, 'b')
  rig.now += 3_000
  sendGrouped(rig)
  for (const [id, firing] of [
    [second, 1],
    [first, 0],
  ] as const) {
    answer(rig.store, press(id, 'resolve', { via: 'link' }))
    rig.now += MINUTE
    // The line in the thread goes first.
    const sent = [...sendGrouped(rig), ...sendGrouped(rig)].filter(({ kind }) => kind === 'digest')
    const shown = sent.map(({ edits, group }) => [edits, group?.problems, group?.firing])
    assert.deepEqual(shown, [[chatOf(rig, first), 2, firing]])
  }
})

test('a clock that is set forward by a day drops no edit, also not one that is with its sender', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  answer(rig.store, pressOf(rig, tell(rig)))
  const [leased] = rig.claim('chatws')
  assert(leased)
  rig.now += 25 * HOUR
  rig.turn({ clockJumpMs: 25 * HOUR })
  rig.settle(leased, { state: 'released' })
  assert.deepEqual(
    edited(rig).map(({ edits }) => edits),
    [leased.edits],
  )
})

test('a revision waits for an edit of its message that is with the sender', (t) => {
  const rig = repeating(t, ANSWERING)
  const id = fire(rig)
  sendAll(rig)
  answer(rig.store, pressOf(rig, id))
  const [edit] = rig.claim('chatws')
  repeat(rig, 3)
  rig.now += MINUTE
  assert.deepEqual([rig.claim('chatws'), rig.store.outbox.nextDueAt('chatws')], [[], Infinity])
  if (edit) rig.settle(edit, { state: 'sent' })
  assert.deepEqual(
    rig.claim('chatws').map(({ kind, edits, repeats }) => [kind, edits, repeats?.count]),
    [['digest', chatOf(rig, id), 4]],
  )
})

test('when quiet ends a problem, the newest message loses its buttons', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const id = tell(rig)
  rig.now += 48 * HOUR
  rig.turn({})
  assert.deepEqual(
    edited(rig).map(({ edits, answers }) => [edits, answers?.phase]),
    [[chatOf(rig, id), 'over']],
  )
})

test('an edit that waits is as young as the last change of its problem, also by a clock that was set', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const id = tell(rig)
  answer(rig.store, press(id))
  rig.now += 20 * HOUR
  answer(rig.store, press(id, 'resolve'))
  rig.now += 20 * HOUR + 48 * HOUR
  rig.turn({ clockJumpMs: 48 * HOUR })
  assert.deepEqual(
    edited(rig).map(({ answers }) => answers?.phase),
    ['over'],
  )
})

test('an edit waits for a revision of its message that is with the sender', (t) => {
  const rig = repeating(t, ANSWERING)
  const id = fire(rig)
  sendAll(rig)
  repeat(rig, 3)
  rig.now += MINUTE
  const [revision] = rig.claim('chatws')
  assert.equal(revision?.edits, chatOf(rig, id))
  answer(rig.store, pressOf(rig, id))
  assert.deepEqual(rig.claim('chatws'), [])
  if (revision) rig.settle(revision, { state: 'sent' })
  const [edit] = edited(rig)
  assert.deepEqual([edit?.edits, edit?.answers?.acknowledged], [revision?.edits, true])
})

test('a message that is alone in its group shows a press, and is edited by revisions later', (t) => {
  const rig = new StoreRig(t, { ...grouped(), ...ANSWERING })
  const id = alert(rig, 'a')
  sendAll(rig)
  answer(rig.store, pressOf(rig, id))
  assert.deepEqual(
    edited(rig).map(({ edits, answers }) => [edits, answers?.acknowledged]),
    [[chatOf(rig, id), true]],
  )
  alert(rig, 'b')
  answer(rig.store, pressOf(rig, id))
  assert.deepEqual(edited(rig), [])
})
