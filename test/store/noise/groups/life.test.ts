import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDefaultDecide } from '../../../../src/policy/default.ts'
import { openStatements } from '../../../../src/store/engine/statement.ts'
import { digestCounts } from '../../../../src/store/noise/queries/rehearsed.ts'
import { ON_FILES, openDatabase } from '../../database.ts'
import { draft, START } from '../../support.ts'
import { compileForTests, silenceOf } from '../silences/rig.ts'
import {
  alert,
  alerts,
  given,
  grouped,
  MINUTE,
  messageOf,
  openGroup,
  pass,
  resolve,
  send,
  stateOf,
  statesOf,
  viaOf,
} from './rig.ts'

const HOUR = 60 * MINUTE

test('a crash between hand-out and settlement loses nothing and counts nothing twice', (t) => {
  const rig = given(t)
  const [first] = openGroup(rig)
  const more = alerts(rig, ['c', 'd'])
  rig.now += 20_000
  const [edit] = rig.claim('chatws')
  assert.equal(edit?.group?.problems, 4)
  rig.reopen()
  const later = alert(rig, 'e')
  const [again] = pass(rig, MINUTE)
  assert.deepEqual([again?.edits, again?.group?.problems], [messageOf(rig, first), 5])
  assert.deepEqual(statesOf(rig, [...more, later]), ['sent', 'sent', 'sent'])
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})

test('a transaction that fails leaves the group as it was', (t) => {
  const rig = given(t)
  openGroup(rig)
  assert.throws(() => rig.failingAtCommit(() => alert(rig, 'c')))
  const after = alert(rig, 'c')
  assert.deepEqual([viaOf(rig, after)?.place, stateOf(rig, after)], [2, 'folded'])
  const [edit] = pass(rig, 20_000)
  assert.deepEqual([edit?.group?.problems, edit?.group?.alerts], [3, 3])
})

test('retention deletes the first incident: the message is edited all the same, with the words of the latest', (t) => {
  const rig = given(t, { maxIncidents: 1 })
  const [first] = openGroup(rig)
  const message = messageOf(rig, first)
  const last = alerts(rig, ['c', 'd', 'e']).at(-1)
  rig.store.maintenance.prune(100)
  assert.equal(rig.store.incidents.detail(first), undefined)
  const [edit] = pass(rig, 20_000)
  assert.deepEqual([edit?.edits, edit?.id, edit?.group?.problems], [message, last, 5])
})

test('a storm takes over: its digest tells of the untold, the group is over, and the next alert begins another', (t) => {
  const rig = given(t)
  openGroup(rig)
  const untold = alerts(rig, ['c', 'd'])
  const flood = Array.from({ length: 100 }, (_, n) =>
    draft({ fingerprint: `x${n}`, service: `s${n}`, severity: 'info', createdAt: rig.now }),
  )
  rig.commit({ drafts: flood })
  const inStorm = alert(rig, 'e')
  const storm = viaOf(rig, inStorm)?.digest
  assert.equal(viaOf(rig, inStorm)?.kind, 'storm')
  pass(rig, 10 * MINUTE)
  assert.deepEqual(
    untold.map((id) => viaOf(rig, id)?.digest),
    [storm, storm],
  )
  assert.deepEqual(new Set(statesOf(rig, [...untold, inStorm])), new Set(['sent']))
  assert.equal(rig.store.noise.destinations()[0]?.storm, null, 'the storm is over')
  const next = alert(rig, 'f')
  assert.equal(viaOf(rig, next), null)
  assert.equal(send(rig).at(-1)?.id, next)
  assert.equal(viaOf(rig, alert(rig, 'g'))?.kind, 'group')
})

test('two destinations are told independently when one fails', (t) => {
  const rig = given(t, {}, ['chatws', 'email'])
  alert(rig, 'a')
  send(rig)
  send(rig, 'email')
  const second = alert(rig, 'b')
  rig.now += 31_000
  const [edit] = rig.claim('chatws')
  const [post] = rig.claim('email')
  assert(edit && post)
  rig.settle(edit, { state: 'dead', reason: 'channel_not_found' })
  rig.settle(post, { state: 'sent' }, { startedAt: rig.now })
  while (rig.turn({}).concluded.length > 0);
  assert.deepEqual(
    rig.detail(second).deliveries.map(({ state }) => state),
    ['dead', 'sent'],
  )
  const next = alert(rig, 'c')
  assert.deepEqual(
    rig.detail(next).deliveries.map(({ via }) => via?.kind),
    [undefined, 'group'],
    'the next alert begins another group where the message was refused',
  )
})

test('a reload that switches grouping off tells what is untold, once, and later alerts as without it', (t) => {
  const rig = given(t)
  const [first] = openGroup(rig)
  const untold = alert(rig, 'c')
  const { groupOf, ...rest } = grouped()
  rig.reopen({ ...rest, decide: openDefaultDecide({ channels: ['chatws'] }), groupOf: undefined as never })
  assert(groupOf)
  const [last] = pass(rig, 2_000)
  assert.deepEqual([last?.edits, last?.group?.problems], [messageOf(rig, first), 3])
  assert.equal(stateOf(rig, untold), 'sent')
  const next = alert(rig, 'd')
  const end = resolve(rig, 'c')
  assert.deepEqual(
    send(rig).map(({ id, group }) => [id, group]),
    [next, end].map((id) => [id, undefined]),
  )
  assert.deepEqual(pass(rig, HOUR), [])
})

test('a clock that is set back holds nothing up for longer', (t) => {
  const rig = given(t)
  openGroup(rig)
  const untold = alerts(rig, ['c'])
  rig.turn({ clockJumpMs: -10 * HOUR })
  rig.now -= 10 * HOUR
  untold.push(...alerts(rig, ['d']))
  pass(rig, 20_000)
  assert.deepEqual(statesOf(rig, untold), ['sent', 'sent'])
  untold.push(...alerts(rig, ['e']))
  rig.now -= 10 * HOUR
  rig.reopen()
  pass(rig, MINUTE)
  assert.deepEqual(new Set(statesOf(rig, untold)), new Set(['sent']))
})

test('a group of a day takes no more alerts, and one whose problems ended by quiet is over', (t) => {
  const rig = given(t)
  openGroup(rig)
  for (let hours = 0; hours < 18; hours += 6) {
    rig.now += 6 * HOUR
    assert.deepEqual(
      alerts(rig, ['a', 'b']).map((id) => viaOf(rig, id)?.kind),
      ['group', 'group'],
    )
    pass(rig, 1_000)
  }
  rig.now += 6 * HOUR
  const next = alert(rig, 'c')
  assert.equal(viaOf(rig, next), null, 'it begins another group')
  send(rig)
  const member = alert(rig, 'd')
  assert.equal(viaOf(rig, member)?.kind, 'group')
  rig.now += 30 * HOUR
  rig.turn({})
  const later = alert(rig, 'e')
  assert.equal(viaOf(rig, later), null)
})

test('a thousand problems are one group, and the next one begins another', (t) => {
  const rig = given(t)
  alert(rig, 'a')
  send(rig)
  const hosts = Array.from({ length: 999 }, (_, n) =>
    draft({ fingerprint: `h${n}`, service: 'db', severity: 'warning', createdAt: rig.now }),
  )
  rig.commit({ drafts: hosts })
  assert.equal(viaOf(rig, hosts.at(-1)?.id ?? '')?.place, 999)
  const known = alert(rig, 'h5', { status: 'resolved' })
  assert.equal(viaOf(rig, known)?.place, 1_000, 'of a known problem')
  const next = alert(rig, 'new')
  assert.equal(viaOf(rig, next), null)
  const sent = pass(rig, 20_000)
  assert.deepEqual(
    sent.map(({ group }) => group?.problems),
    [undefined, 1_000],
  )
})

test('a silence holds and tells one problem by itself, and the others go on', (t) => {
  const conditions = [{ field: 'title', values: ['Disk of c'], where: '' }]
  const rig = given(t, { silences: { compile: compileForTests, configured: [silenceOf({ conditions })] } })
  openGroup(rig)
  const held = alert(rig, 'c')
  const other = alert(rig, 'd')
  assert.deepEqual(statesOf(rig, [held, other]), ['held', 'folded'])
  const [edit] = pass(rig, 20_000)
  assert.equal(edit?.group?.problems, 3, 'it is not told of')
  assert.deepEqual(statesOf(rig, [held, other]), ['held', 'sent'])
  rig.now = START + HOUR
  pass(rig, MINUTE)
  assert.equal(stateOf(rig, held), 'sent')
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})

test('a group of one problem is no digest: not in the list, and not in the counts of a rehearsal', ON_FILES, (t) => {
  const rig = given(t)
  alert(rig, 'lone', { service: 'web' })
  openGroup(rig)
  assert.equal(rig.store.noise.digests({ limit: 10 }).digests.length, 1)
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  assert.deepEqual(digestCounts(openStatements(db)), [
    { channel: 'chatws', target: null, digests: 1, revisions: 1, edits: 1 },
  ])
  db.close()
})
