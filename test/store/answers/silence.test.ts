import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Answer } from '../../../src/domain/answer.ts'
import { ofProblem } from '../../../src/policy/silences/of-problem.ts'
import { compileForTests, HOUR, MINUTE } from '../noise/silences/rig.ts'
import { draft, StoreRig } from '../support.ts'
import { answer, press, tell } from './rig.ts'

const given = (t: TestContext, options: Partial<StoreRig['options']> = {}) =>
  new StoreRig(t, {
    answering: ['chatws'],
    threadedChannels: ['chatws'],
    silences: { compile: compileForTests, configured: [] },
    ...options,
  })
const hour = (id: string, changes: Partial<Answer> = {}) => press(id, 'silence', { minutes: 60, ...changes })
const silencesOf = ({ store }: StoreRig) =>
  store.silences.list({ limit: 9 }).silences.map(({ id, problem, state, ends_at, until_resolved }) => ({
    ...{ id, problem, state, until_resolved },
    ends_at,
  }))
const iso = (at: number) => new Date(at).toISOString()

/** What a further message of the problem would show. */
function shown(rig: StoreRig) {
  const { dispatches } = rig.commit({ drafts: [draft({ fingerprint: 'custom:other' })] }, ['chatws'])
  const edits = dispatches.flatMap((each) => (each.kind === 'follow-up' && each.edits ? [each] : []))
  for (const each of dispatches) rig.settle(each, { state: 'sent' }, { messageId: `m${rig.now}` })
  return edits.at(-1)?.answers
}

test('a silence acknowledges in the same transaction, holds exactly this problem, and shows its end', (t) => {
  const rig = given(t, { oncall: { enable: true, waitMs: MINUTE, provider: 'webhook' } })
  const id = tell(rig, { fingerprint: 'custom:d*', service: 'db' })
  const at = rig.now
  const acted = rig.store.answers.answer(hour(id))
  assert.deepEqual(acted.answered, { result: 'done', problem: 1, title: 'Disk full', silence: 1 })
  assert.ok(acted.oncall.length > 0)
  assert.deepEqual(silencesOf(rig), [
    { id: 1, problem: 1, state: 'active', until_resolved: false, ends_at: iso(at + HOUR) },
  ])
  assert.equal(rig.store.problems.detail(1)?.acked_by, 'Ada Lovelace')
  assert.deepEqual(shown(rig), {
    subject: { kind: 'incident', id },
    phase: 'firing',
    last: { did: 'silenced', by: 'Ada Lovelace', at, until: at + HOUR },
    acknowledged: true,
    silenced: true,
  })
  const held = rig.spill({ fingerprint: 'custom:d*', service: 'db' })
  const other = rig.spill({ fingerprint: 'custom:disk', service: 'db' })
  const stateOf = (one: string) => rig.detail(one).deliveries.find(({ channel }) => channel === 'chatws')?.state
  assert.deepEqual([stateOf(held), stateOf(other)], ['held', 'pending'])
})

test('a problem has one silence by button: the later end wins, an end that is no minute later is there already', (t) => {
  const rig = given(t)
  const id = tell(rig)
  const at = rig.now
  answer(rig.store, hour(id))
  rig.now += 30_000
  assert.deepEqual(answer(rig.store, hour(id)).result, 'already')
  assert.deepEqual(answer(rig.store, hour(id, { minutes: 5 })).result, 'already')
  rig.now += 30_000
  assert.deepEqual(answer(rig.store, hour(id)).silence, 1)
  assert.deepEqual(silencesOf(rig)[0]?.ends_at, iso(at + HOUR + MINUTE))
  const longer = press(id, 'silence_until_resolved')
  assert.equal(answer(rig.store, longer).result, 'done')
  assert.deepEqual(
    silencesOf(rig).map(({ until_resolved, ends_at }) => [until_resolved, ends_at]),
    [[true, iso(rig.now + longer.maxMs)]],
  )
  assert.deepEqual(shown(rig)?.last?.until, 'resolved')
})

test('End silence ends the silence of a button, and no other', (t) => {
  const rig = given(t)
  const id = tell(rig)
  const settings = {
    name: 'patch',
    where: '',
    conditions: [{ field: 'fingerprint', values: ['custom:db'], where: '' }],
  }
  const times = { startsAt: rig.now, endsAt: rig.now + HOUR, untilResolved: false, owner: 'Bob', comment: '' }
  rig.store.silences.add({ ...settings, ...times } as never, true)
  assert.equal(answer(rig.store, press(id, 'end_silence')).result, 'already')
  assert.equal(answer(rig.store, hour(id)).silence, 2)
  assert.deepEqual(answer(rig.store, press(id, 'end_silence')).silence, 2)
  assert.deepEqual(
    silencesOf(rig).map(({ id, state }) => [id, state]),
    [
      [1, 'active'],
      [2, 'ended'],
    ],
  )
  const state = shown(rig)
  assert.deepEqual(
    [state?.silenced, state?.acknowledged, state?.last?.did, state?.last?.until],
    [false, true, 'silence_ended', undefined],
  )
})

test('an ended silence of a button goes after a day', (t) => {
  const rig = given(t)
  const id = tell(rig)
  answer(rig.store, hour(id))
  answer(rig.store, press(id, 'end_silence'))
  rig.now += 23 * HOUR
  rig.store.maintenance.prune(100)
  assert.equal(silencesOf(rig).length, 1)
  rig.now += 2 * HOUR
  rig.store.maintenance.prune(100)
  assert.deepEqual(silencesOf(rig), [])
})

test('the thread says who silenced, and who ended it', (t) => {
  const rig = given(t)
  const id = tell(rig)
  answer(rig.store, hour(id))
  answer(rig.store, press(id, 'end_silence', { actor: 'Bob' }))
  const lines = rig.claim('chatws').flatMap(({ title, edits }) => (edits ? [] : [title]))
  assert.deepEqual(lines, [
    '✅ Acknowledged by Ada Lovelace: Disk full',
    '🔕 Silenced by Ada Lovelace: Disk full',
    '🔔 Silence ended by Bob: Disk full',
  ])
})

test('with 1,000 live silences a press acknowledges alone, can be repeated, and prolongs one that is there', (t) => {
  const rig = given(t)
  const [id, other] = [tell(rig), tell(rig, { fingerprint: 'custom:other' })]
  answer(rig.store, hour(other))
  const times = { startsAt: rig.now, endsAt: rig.now + HOUR, untilResolved: false, owner: 'Bob', comment: '' }
  const conditions = [{ field: 'service', values: ['none'], where: '' }] as const
  const many = Array.from({ length: 999 }, (_, at) => ({ name: `s${at}`, where: '', conditions, ...times }))
  rig.reopen({ silences: { compile: compileForTests, configured: many } })
  assert.throws(() => rig.store.silences.add({ name: 'one more', where: '', conditions, ...times }, true), /1000/)
  const once = hour(id)
  assert.equal(answer(rig.store, once).result, 'not_silenced')
  assert.equal(rig.store.problems.detail(1)?.acked_by, 'Ada Lovelace')
  const state = shown(rig)
  assert.deepEqual([state?.last?.did, state?.silenced], ['acknowledged', false])
  rig.now += HOUR / 2
  assert.deepEqual([answer(rig.store, hour(other)).result, answer(rig.store, hour(other)).result], ['done', 'already'])
  rig.reopen({ silences: { compile: compileForTests, configured: [] } })
  assert.equal(answer(rig.store, once).result, 'done')
  const { answers } = rig.store.answers.list({ limit: 9, problem: 1 })
  assert.deepEqual(
    answers.map(({ action, result }) => `${action} ${result}`),
    ['silence done', 'acknowledge done'],
  )
})

test('a press by its token is remembered when it was done, and can be repeated when it was not', (t) => {
  const rig = given(t)
  const ended = press(tell(rig), 'end_silence', { via: 'ntfy' })
  assert.equal(answer(rig.store, ended).result, 'already')
  answer(rig.store, hour(ended.subject.kind === 'incident' ? ended.subject.id : ''))
  assert.equal(answer(rig.store, ended).result, 'done')
  assert.equal(answer(rig.store, ended).again, true)
})

test('a silence that ran out leaves the acknowledgement in the line', (t) => {
  const rig = given(t)
  const id = tell(rig)
  const at = rig.now
  answer(rig.store, hour(id))
  rig.now += HOUR
  rig.turn({})
  answer(rig.store, hour(id, { action: 'acknowledge' }))
  assert.deepEqual(shown(rig)?.last, { did: 'acknowledged', by: 'Ada Lovelace', at })
})

test('a silence that is prolonged after the clock was set back holds on', (t) => {
  const rig = given(t)
  const id = tell(rig)
  answer(rig.store, hour(id))
  rig.now -= 5 * HOUR
  rig.turn({ clockJumpMs: -5 * HOUR })
  const longer = press(id, 'silence_until_resolved')
  assert.deepEqual(answer(rig.store, longer).silence, 1)
  assert.deepEqual(
    silencesOf(rig).map(({ state, ends_at }) => [state, ends_at]),
    [['active', iso(rig.now + longer.maxMs)]],
  )
})

test('what the disk refuses leaves neither silence nor acknowledgement', (t) => {
  const rig = given(t)
  const id = tell(rig)
  const once = hour(id)
  rig.failingAtCommit(() => assert.throws(() => answer(rig.store, once)))
  assert.deepEqual([silencesOf(rig), rig.detail(id).acked_by ?? null], [[], null])
  const done = answer(rig.store, once)
  rig.reopen()
  assert.deepEqual([done.result, answer(rig.store, once)], ['done', { ...done, again: true }])
  assert.equal(silencesOf(rig).length, 1)
})

test('a silence of one problem that an operator makes or ends is on record, one of many problems is not', (t) => {
  const rig = given(t)
  tell(rig)
  const times = { startsAt: rig.now, endsAt: rig.now + HOUR, untilResolved: false, owner: 'Bob', comment: '' }
  const one = { ...ofProblem({ id: 1, fingerprint: 'custom:db', title: 'Disk full' }), ...times }
  const { silence } = rig.store.silences.add(one, true)
  rig.store.silences.change(silence.id, { ...one, endsAt: rig.now + 2 * HOUR })
  rig.store.silences.change(silence.id, { ...one, endsAt: rig.now + 2 * HOUR, comment: 'longer' })
  rig.store.silences.change(silence.id, { ...one, endsAt: rig.now + 1_000 })
  rig.store.silences.end(silence.id, 'Cid')
  const many = {
    name: 'all',
    where: '',
    conditions: [{ field: 'service', values: ['db'], where: '' }],
    ...times,
  } as const
  rig.store.silences.end(rig.store.silences.add(many, true).silence.id, 'Cid')
  const { answers } = rig.store.answers.list({ limit: 9 })
  assert.deepEqual(
    answers.map(({ actor, action, minutes, problem, via }) => [actor, action, minutes, problem, via]),
    [
      ['Cid', 'end_silence', null, 1, 'admin'],
      ['an operator', 'silence', 1, 1, 'admin'],
      ['an operator', 'silence', 120, 1, 'admin'],
      ['Bob', 'silence', 60, 1, 'admin'],
    ],
  )
})

test('a press looks at what waits since its problem began, and at nothing before', (t) => {
  const rig = given(t)
  const earlier = rig.spill({ fingerprint: 'custom:db' })
  rig.spill({ fingerprint: 'custom:db', status: 'resolved' })
  const id = rig.spill({ fingerprint: 'custom:db' })
  answer(rig.store, hour(id))
  rig.turn({})
  const stateOf = (one: string) => rig.detail(one).deliveries.find(({ channel }) => channel === 'chatws')?.state
  assert.deepEqual([stateOf(earlier), stateOf(id)], ['pending', 'held'])
})
