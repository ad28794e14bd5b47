import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimPages, settle } from '../paging.ts'
import { draft, StoreRig } from '../support.ts'
import { answer, press, tell } from './rig.ts'

const TOKEN = 'mcp:ops'
const MINUTE = 60_000
const HOUR = 60 * MINUTE

test('an acknowledgement by a token shows, leaves pages and the button, and a person can still take the problem', (t) => {
  const rig = new StoreRig(t, {
    ...{ threadedChannels: ['chatws'], answering: ['chatws'] },
    oncall: { enable: true, waitMs: 60_000, provider: 'webhook' },
  })
  const { problems } = rig.store
  const id = tell(rig)
  assert.equal(problems.pagesToCome(1), 1)
  problems.acknowledgeOnly(1, TOKEN)
  problems.acknowledgeOnly(1, 'mcp:other')
  assert.equal(problems.detail(1)?.acked_by, TOKEN)
  assert.deepEqual([rig.detail(id).acked_by, rig.detail(id).oncall?.state, problems.pagesToCome(1)], [null, 'armed', 1])
  assert.ok(rig.claim('chatws').some(({ title }) => title === `✅ Acknowledged by ${TOKEN}: Disk full`))
  const { dispatches } = rig.commit({ drafts: [draft({ fingerprint: 'custom:db', title: 'Disk full' })] }, ['chatws'])
  const [shown] = dispatches.flatMap((each) => ('answers' in each && each.answers ? [each.answers] : []))
  assert.deepEqual([shown?.acknowledged, shown?.last?.by], [false, TOKEN])

  assert.equal(answer(rig.store, press(id)).result, 'done')
  assert.equal(problems.detail(1)?.acked_by, 'Ada Lovelace')
  assert.deepEqual([rig.detail(id).oncall?.state, problems.pagesToCome(1)], ['acknowledged', 0])
  const { answers } = rig.store.answers.list({ limit: 10 })
  assert.deepEqual(
    answers.map(({ actor, result }) => [actor, result]),
    [
      ['Ada Lovelace', 'done'],
      ['mcp:other', 'already'],
      [TOKEN, 'done'],
    ],
  )
})

test('repeats page after an acknowledgement by a token, and not after that of a person', (t) => {
  for (const [by, state] of [
    [TOKEN, 'armed'],
    ['Ada', 'joined'],
  ] as const) {
    const rig = new StoreRig(t, {
      oncall: { enable: true, waitMs: MINUTE, provider: 'webhook' },
      repeats: { mode: 'fold', remindMs: 4 * HOUR },
    })
    tell(rig)
    rig.now += MINUTE
    for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
    // A page stands for repeats for four hours, an acknowledgement of a person from its time on.
    rig.now += 3 * HOUR
    if (by === TOKEN) rig.store.problems.acknowledgeOnly(1, by)
    else rig.store.problems.acknowledge(1, by)
    rig.now += 2 * HOUR
    assert.equal(rig.detail(tell(rig)).oncall?.state, state, by)
  }
})

test('a problem that does not fire, or does not exist, is not acknowledged by a token', (t) => {
  const rig = new StoreRig(t)
  tell(rig)
  tell(rig, { status: 'resolved' })
  rig.store.problems.acknowledgeOnly(1, TOKEN)
  rig.store.problems.acknowledgeOnly(99, TOKEN)
  assert.equal(rig.store.problems.detail(1)?.acked_at, null)
  assert.deepEqual(rig.store.answers.list({ limit: 10 }).answers, [])
})
