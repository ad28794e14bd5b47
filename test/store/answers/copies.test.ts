import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draft, StoreRig } from '../support.ts'
import { ANSWERING, answer, chatOf, edited, press, pressOf, tell } from './rig.ts'

test('the pressed copy is edited before all messages, the others after them, newest first and apart', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const ids = [tell(rig), tell(rig), tell(rig)]
  const [oldest = '', middle = '', newest = ''] = ids
  answer(rig.store, pressOf(rig, middle))
  const waiting = rig.spill()
  const first = rig.claim('chatws')
  assert.deepEqual(
    first.map(({ edits, rank, id, answers }) => [edits, rank, edits ? answers?.acknowledged : id === waiting]),
    [
      [chatOf(rig, middle), 0, true],
      [undefined, 2, true],
      [chatOf(rig, newest), 3, true],
    ],
  )
  assert.deepEqual(rig.claim('chatws'), [])
  assert.deepEqual(rig.store.status.state().answerEdits, [{ channel: 'chatws', waiting: 1 }])
  const from = rig.now
  for (const dispatch of first) rig.settle(dispatch, { state: 'sent' })
  assert.deepEqual(
    edited(rig).map(({ edits, content }) => [edits, Buffer.from(content).toString().includes('happened')]),
    [[chatOf(rig, oldest), true]],
  )
  assert.deepEqual(rig.store.status.state().answerEdits, [{ channel: 'chatws', waiting: 0 }])
  assert.ok(rig.now >= from + 1_500, 'a provider allows few edits')
})

test('at most the configured number of copies of a problem is edited, the newest; other channels are left alone', (t) => {
  const rig = new StoreRig(t, { ...ANSWERING, copies: 2 })
  const ids = Array.from({ length: 5 }, () => tell(rig))
  answer(rig.store, press(ids[0] ?? ''))
  assert.deepEqual(
    edited(rig).map(({ edits }) => edits),
    [ids[4], ids[3]].map((id) => chatOf(rig, id ?? '')),
  )
  assert.deepEqual(rig.claim('email'), [])
})

test('edits take at most half of what each destination takes, and one goes in 1.5 s to a channel', (t) => {
  const rate = { perSecond: 0.4, burst: 1 }
  const chatws = { enable: false, rate, reading: rate, withinMs: 60_000, edits: true }
  const rig = new StoreRig(t, { ...ANSWERING, copies: 200, storms: { chatws } })
  const targets = [{}, { targets: { chatws: 'ops' } }, { targets: { chatws: 'night' } }]
  const drafts = Array.from({ length: 10 }, () => draft({ fingerprint: 'custom:db' }))
  const of = (n: number) => drafts.filter((_, at) => at % 3 === n)
  for (const [n, overrides] of targets.entries())
    for (const each of rig.commit({ drafts: of(n), overrides }, ['chatws']).dispatches)
      rig.settle(each, { state: 'sent' }, { messageId: `C${n}/${each.incident}` })
  rig.store.operator.acknowledge(drafts[0]?.id ?? '', 'Bob')
  const times: { readonly at: number; readonly chat: string }[] = []
  for (let at = 0; at < Infinity; at = rig.store.outbox.nextDueAt('chatws')) {
    rig.now = Math.max(rig.now, at)
    for (const each of rig.claim('chatws')) {
      times.push({ at: rig.now, chat: each.edits?.slice(0, 2) ?? '' })
      rig.settle(each, { state: 'sent' })
    }
  }
  const gaps = (list: typeof times) => list.slice(1).map(({ at }, nth) => at - (list[nth]?.at ?? 0))
  assert.equal(times.length, drafts.length)
  assert.ok(Math.min(...gaps(times)) >= 1_500)
  for (const all of Map.groupBy(times, ({ chat }) => chat).values()) assert.ok(Math.min(...gaps(all)) >= 5_000)
  assert.deepEqual(
    times
      .slice(0, 3)
      .map(({ chat }) => chat)
      .sort(),
    ['C0', 'C1', 'C2'],
  )
})

test('no edit becomes a new message: one whose message is gone is dropped, and so is one that is a day old', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const id = tell(rig)
  answer(rig.store, pressOf(rig, id))
  assert.equal(edited(rig, 'gone').length, 1)
  answer(rig.store, pressOf(rig, id, 'resolve'))
  rig.now += 24 * 3_600_000 + 1
  assert.deepEqual(edited(rig), [])
})

test('a press that changes nothing edits the copy that was pressed', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const [one, other] = [tell(rig), tell(rig)]
  answer(rig.store, press(one, 'resolve'))
  assert.equal(edited(rig).length, 2)
  assert.equal(answer(rig.store, pressOf(rig, other)).result, 'over')
  const [{ edits, answers } = {}, ...none] = edited(rig)
  assert.deepEqual([edits, answers?.phase, answers?.last?.did, none], [chatOf(rig, other), 'over', 'resolved', []])
  const again = tell(rig)
  assert.equal(answer(rig.store, pressOf(rig, one)).result, 'superseded')
  assert.deepEqual(
    edited(rig).map((each) => each.answers?.phase),
    ['over'],
  )
  answer(rig.store, press(again))
  assert.equal(answer(rig.store, pressOf(rig, again)).result, 'already')
  assert.equal(edited(rig).length, 1)
})

test('a copy whose send had no answer is learned from the press', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const one = draft({ fingerprint: 'custom:db' })
  for (const dispatch of rig.commit({ drafts: [one] }, ['chatws']).dispatches) rig.settle(dispatch, { state: 'sent' })
  answer(rig.store, press(one.id, 'acknowledge', { copy: { messageId: 'C1/7' } }))
  answer(rig.store, press(one.id, 'resolve'))
  assert.deepEqual(
    edited(rig).map(({ edits }) => edits),
    ['C1/7'],
  )
  answer(rig.store, pressOf(rig, one.id))
})

test('a message that was sent twice has two copies, of which the press tells', (t) => {
  const rig = new StoreRig(t, { ...ANSWERING, threadedChannels: ['chatws'] })
  const id = tell(rig)
  answer(rig.store, press(id, 'acknowledge', { copy: { messageId: 'C1/second' } }))
  assert.deepEqual(
    edited(rig)
      .map(({ edits }) => edits)
      .sort(),
    ['C1/second', chatOf(rig, id)],
  )
  answer(rig.store, press(id, 'resolve', { copy: { messageId: 'C1/second' } }))
  const titles = rig.claim('chatws').flatMap(({ title, edits }) => (edits === undefined ? [title] : []))
  assert.deepEqual(titles, ['🟢 Resolved by Ada Lovelace: Disk full'])
})

test('a message in a chat that is not configured counts only if it was sent for the incident', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const id = tell(rig)
  const other = press(id, 'acknowledge', { copy: { messageId: 'C9/9' }, mustBeCopy: true })
  assert.deepEqual(answer(rig.store, other), { result: 'wrong_chat' })
  assert.deepEqual(edited(rig), [])
  assert.equal(answer(rig.store, { ...pressOf(rig, id), mustBeCopy: true }).result, 'done')
})

test('when its sender ends a problem, the newest message loses its buttons, but not in a storm', (t) => {
  const rate = { perSecond: 1, burst: 4 }
  const chatws = { enable: true, rate, reading: rate, withinMs: 60_000, edits: true }
  for (const flood of [0, 60]) {
    const rig = new StoreRig(t, { ...ANSWERING, storms: { chatws } })
    tell(rig)
    const newest = tell(rig)
    if (flood > 0) rig.commit({ drafts: Array.from({ length: flood }, () => draft({ severity: 'low' })) })
    rig.spill({ fingerprint: 'custom:db', status: 'resolved' })
    const shown = edited(rig).map(({ edits, answers }) => [edits, answers?.phase])
    assert.deepEqual(shown, flood > 0 ? [] : [[chatOf(rig, newest), 'over']])
    rig.spill({ fingerprint: 'custom:db', status: 'resolved' })
    assert.deepEqual(edited(rig), [])
  }
})

test('a message that is with its sender while its problem changes is edited when its id is known', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const one = draft({ fingerprint: 'custom:db' })
  const [leased] = rig.commit({ drafts: [one] }, ['chatws']).dispatches
  rig.store.operator.acknowledge(one.id, 'Bob')
  assert.deepEqual(rig.claim('chatws'), [])
  if (leased) rig.settle(leased, { state: 'sent' }, { messageId: 'C1/1' })
  assert.deepEqual(
    edited(rig).map(({ edits, answers }) => [edits, answers?.last?.by]),
    [['C1/1', 'Bob']],
  )
})

test('a change while an edit is with its sender makes it go once more, also after a restart', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const id = tell(rig)
  answer(rig.store, pressOf(rig, id))
  const [first] = rig.claim('chatws')
  answer(rig.store, press(id, 'resolve'))
  if (first) rig.settle(first, { state: 'sent' })
  const [second] = rig.claim('chatws')
  assert.deepEqual([first?.answers?.phase, second?.answers?.phase], ['firing', 'over'])
  rig.reopen()
  assert.deepEqual(
    edited(rig).map(({ edits, answers }) => [edits, answers?.phase]),
    [[chatOf(rig, id), 'over']],
  )
})

test('an edit goes in the place of one that waits, where it was pressed', (t) => {
  const rig = new StoreRig(t, ANSWERING)
  const [id, other] = [tell(rig), tell(rig)]
  answer(rig.store, press(id))
  answer(rig.store, pressOf(rig, id))
  const found = rig.claim('chatws').map(({ edits, rank }) => [edits, rank])
  assert.deepEqual(found, [
    [chatOf(rig, id), 0],
    [chatOf(rig, other), 3],
  ])
})

test('a repeat that was folded keeps its line in an edit of the first message', (t) => {
  const rig = new StoreRig(t, { ...ANSWERING, repeats: { mode: 'fold', remindMs: 4 * 3_600_000 } })
  const id = tell(rig)
  rig.spill({ fingerprint: 'custom:db' })
  answer(rig.store, pressOf(rig, id, 'resolve'))
  const [{ edits, repeats } = {}] = rig.claim('chatws')
  assert.deepEqual([edits, repeats?.count, repeats?.over], [chatOf(rig, id), 2, true])
})
