import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draft, StoreRig } from '../support.ts'
import { answer, press, tell } from './rig.ts'

/** The line of the latest edit. */
function lastShown(rig: StoreRig) {
  rig.now += 1_000
  const edits = rig.claim('chatws').flatMap(({ edits, answers }) => (edits === undefined ? [] : [answers]))
  return edits.at(-1)?.last
}

test('a press acknowledges its problem once: a second one changes nothing and says who was first', (t) => {
  const rig = new StoreRig(t, {
    threadedChannels: ['chatws'],
    oncall: { enable: true, waitMs: 60_000, provider: 'webhook' },
  })
  const id = tell(rig)
  const acted = rig.store.answers.answer(press(id))
  assert.deepEqual(acted.answered, { result: 'done', problem: 1, title: 'Disk full' })
  assert.ok(acted.oncall.length > 0)
  const followUps = rig.claim('chatws').map(({ title }) => title)
  assert.deepEqual(followUps, ['✅ Acknowledged by Ada Lovelace: Disk full'])
  const at = rig.now
  rig.now += 60_000
  const second = rig.store.answers.answer(press(id, 'acknowledge', { actor: 'Bob' }))
  assert.deepEqual(second, {
    answered: { result: 'already', problem: 1, title: 'Disk full', at, by: 'Ada Lovelace' },
    oncall: [],
  })
  assert.deepEqual(rig.claim('chatws'), [])
  const { answers } = rig.store.answers.list({ limit: 10 })
  assert.deepEqual(
    answers.map(({ result, actor }) => [result, actor]),
    [
      ['already', 'Bob'],
      ['done', 'Ada Lovelace'],
    ],
  )
})

test('a repeated key has the earlier result, also after a restart, and does nothing', (t) => {
  const rig = new StoreRig(t)
  const first = press(tell(rig), 'resolve')
  assert.equal(answer(rig.store, first).result, 'done')
  tell(rig)
  rig.reopen()
  assert.deepEqual(answer(rig.store, first), { result: 'done', again: true, problem: 1, title: 'Disk full' })
  assert.equal(rig.store.problems.detail(1)?.state, 'firing')
  assert.equal(rig.store.answers.list({ limit: 10 }).answers.length, 1)
})

test('a resolved problem is over, and says how it ended', (t) => {
  const rig = new StoreRig(t)
  const id = tell(rig)
  assert.equal(answer(rig.store, press(id, 'resolve')).result, 'done')
  const over = { result: 'over', problem: 1, title: 'Disk full', at: rig.now }
  assert.deepEqual(answer(rig.store, press(id, 'resolve')), { ...over, by: 'Ada Lovelace' })
  const other = tell(rig)
  tell(rig, { status: 'resolved' })
  assert.deepEqual(answer(rig.store, press(other)), { ...over, at: rig.now, by: 'its sender' })
})

test('the message of a problem that ended and opened again is superseded, unless the problem flaps since then', (t) => {
  const flapping = { enable: true } as const
  for (const [flapRules, result] of [
    [undefined, 'superseded'],
    [flapping, 'done'],
  ] as const) {
    const rig = new StoreRig(t, flapRules && { flapping: flapRules })
    let id = ''
    for (let time = 0; time < 6; time++) {
      const fired = tell(rig)
      tell(rig, { status: 'resolved' })
      if (time === 4) id = fired
    }
    tell(rig)
    assert.equal(answer(rig.store, press(id)).result, result)
  }
})

test('an acknowledgement of a problem that is over names nobody as the one who resolved it', (t) => {
  const rig = new StoreRig(t, { answering: ['chatws'] })
  const id = tell(rig)
  assert.equal(answer(rig.store, press(id, 'resolve')).result, 'done')
  rig.store.operator.acknowledgeByLink(id, 'Bob')
  rig.store.operator.resolve(id, 'Cid')
  assert.equal(answer(rig.store, press(id, 'resolve')).by, 'Ada Lovelace')
  assert.deepEqual(lastShown(rig), { did: 'resolved', by: 'Ada Lovelace', at: rig.now - 1_000 })
})

test('a second acknowledgement without a press does not change who acknowledged', (t) => {
  const rig = new StoreRig(t, { answering: ['chatws'] })
  const id = tell(rig)
  answer(rig.store, press(id))
  rig.store.problems.acknowledge(1, 'Bob')
  assert.equal(rig.store.problems.detail(1)?.acked_by, 'Ada Lovelace')
  assert.equal(lastShown(rig)?.by, 'Ada Lovelace')
})

test('an unknown incident and a test change nothing', (t) => {
  const rig = new StoreRig(t)
  assert.deepEqual(answer(rig.store, press(draft().id)), { result: 'unknown' })
  assert.deepEqual(answer(rig.store, press('', 'test')), { result: 'done' })
})

test('commands of operators and links have rows too; the list has filters and pages', (t) => {
  const rig = new StoreRig(t)
  const { store } = rig
  const id = tell(rig)
  store.operator.acknowledgeByLink(id, 'Eve')
  store.operator.acknowledge(id, 'Bob')
  store.problems.acknowledge(1, 'Bob')
  store.operator.resolve(id, 'Cid')
  answer(rig.store, press(id, 'resolve', { person: 'ada' }))
  const seen = (filter: object) =>
    store.answers
      .list({ limit: 10, ...filter })
      .answers.map(({ action, via, actor, result }) => `${actor} ${action} ${via} ${result}`)
  assert.deepEqual(seen({ problem: 1 }), [
    'Ada Lovelace resolve chatws over',
    'Cid resolve admin done',
    'Bob acknowledge admin already',
    'Bob acknowledge admin already',
    'Eve acknowledge link done',
  ])
  assert.deepEqual(seen({ by: 'ada', via: 'chatws' }), ['Ada Lovelace resolve chatws over'])
  assert.deepEqual(seen({ problem: 2 }), [])
  const first = store.answers.list({ limit: 3, result: 'done' })
  assert.deepEqual([first.answers.length, first.next_cursor], [2, null])
  const page = store.answers.list({ limit: 2 })
  assert.equal(store.answers.list({ limit: 9, cursor: page.next_cursor ?? '' }).answers.length, 3)
  assert.throws(() => store.answers.list({ limit: 9, cursor: 'x' }), /next_cursor/)
})

test('what the disk refuses to commit is not done, and can be pressed again', (t) => {
  const rig = new StoreRig(t)
  const given = press(tell(rig))
  rig.failingAtCommit(() => assert.throws(() => answer(rig.store, given)))
  assert.deepEqual(rig.store.answers.list({ limit: 9 }).answers, [])
  assert.equal(answer(rig.store, given).result, 'done')
})

test('a press on a message whose incident was deleted acts on the problem, which still fires', (t) => {
  const rig = new StoreRig(t, { maxIncidents: 3 })
  const id = tell(rig, { id: '01930000-0000-7000-8000-000000000001' })
  for (let nth = 0; nth < 20; nth++)
    tell(rig, { fingerprint: `custom:${nth}`, title: `other ${nth}`, status: 'resolved' })
  while (rig.store.maintenance.prune(100) > 0);
  assert.equal(rig.store.incidents.record(id), undefined)
  assert.deepEqual(answer(rig.store, press(id)), { result: 'done', problem: 1, title: 'Disk full' })
  assert.equal(rig.store.problems.detail(1)?.acked_by, 'Ada Lovelace')
})
