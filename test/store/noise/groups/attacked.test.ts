import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDefaultDecide } from '../../../../src/policy/default.ts'
import { claimPages } from '../../paging.ts'
import { draft, START } from '../../support.ts'
import { compileForTests, silenceOf } from '../silences/rig.ts'
import {
  alert,
  alerts,
  given,
  grouped,
  INTERVAL,
  MINUTE,
  openGroup,
  pass,
  resolve,
  send,
  stateOf,
  tryAlert,
  viaOf,
} from './rig.ts'

const HOUR = 60 * MINUTE
const ways = (sent: ReturnType<typeof pass>) => sent.map(({ edits }) => (edits ? 'edit' : 'post'))

test('an urgent alert of a group that is hours old is sent within seconds', (t) => {
  const rig = given(t)
  alerts(rig, ['a'], { severity: 'critical' })
  send(rig)
  alert(rig, 'b', { severity: 'critical' })
  pass(rig, 30_000)
  rig.now += 10 * HOUR
  alert(rig, 'c')
  pass(rig, 5_000)
  const urgent = alert(rig, 'd', { severity: 'critical' })
  pass(rig, 5_000)
  assert.equal(stateOf(rig, urgent), 'sent')
})

test('a gap between two messages that ring keeps nothing else of the destination waiting', (t) => {
  const rig = given(t)
  alert(rig, 'a', { severity: 'critical' })
  send(rig)
  for (let second = 0; second < 200; second++) {
    if (second < 60 && second % 10 === 0) alert(rig, `u${second}`, { severity: 'critical' })
    rig.now += 1_000
    if (send(rig).length === 0) assert(rig.store.outbox.nextDueAt('chatws') > rig.now, `at ${second} s`)
  }
})

test('a group whose problems ended by quiet takes no new one', (t) => {
  const rig = given(t)
  alert(rig, 'a', { sender: 'custom' })
  send(rig)
  alert(rig, 'b', { sender: 'custom' })
  pass(rig, 5_000)
  rig.now += 40 * MINUTE
  rig.turn({})
  rig.turn({})
  assert.deepEqual(tryAlert(rig, 'c', { sender: 'custom' }), { kind: 'message', because: 'first' })
  const next = alert(rig, 'c', { sender: 'custom' })
  assert.deepEqual([viaOf(rig, next) ?? null, send(rig).length], [null, 1])
})

test('a trial and the resolution after it agree: a place while other problems of the group fire, else a message', (t) => {
  const rig = given(t)
  openGroup(rig)
  const tried = (host: string) => tryAlert(rig, host, { status: 'resolved' })
  const said = tried('a')
  assert.equal(tried('stranger')?.kind, 'message')
  const via = viaOf(rig, resolve(rig, 'a'))
  assert.deepEqual(said, { kind: 'fold', digest: via?.digest, place: via?.place, inGroup: true })
  assert.deepEqual(tried('b'), { kind: 'message', because: 'resolved' })
  assert.equal(viaOf(rig, resolve(rig, 'b')) ?? null, null)
})

test('resolutions of problems that a group does not know are messages, and no problems of it', (t) => {
  const rig = given(t)
  openGroup(rig)
  const known = rig.store.noise.digests({ limit: 1 }).digests[0]?.problems
  const end = resolve(rig, 'stranger')
  assert.equal(viaOf(rig, end) ?? null, null)
  assert.equal(rig.store.noise.digests({ limit: 1 }).digests[0]?.problems, known)
})

test('a refused message that rings is not sent again for ever', (t) => {
  const rig = given(t)
  alert(rig, 'a', { severity: 'critical' })
  send(rig)
  for (const host of ['b', 'c', 'd']) {
    alert(rig, host, { severity: 'critical' })
    pass(rig, 5_000)
  }
  let refused = 0
  for (let second = 0; second < 100; second++) {
    rig.now += 1_000
    for (const one of rig.claim('chatws')) {
      if (one.kind === 'digest') refused++
      rig.settle(one, { state: 'dead', reason: 'restricted_action' })
    }
  }
  assert(refused <= 1, `${refused} times`)
})

test('a group goes on after a clock was set back while an edit was on its way, and while a ring waits', (t) => {
  const rig = given(t)
  openGroup(rig)
  alert(rig, 'c')
  rig.now += 20_000
  const [edit] = rig.claim('chatws')
  assert(edit)
  rig.turn({ clockJumpMs: -10 * HOUR })
  rig.now -= 10 * HOUR
  rig.settle(edit, { state: 'sent' }, { messageId: edit.edits ?? 'm', startedAt: rig.now })
  const next = alert(rig, 'd')
  pass(rig, 5 * MINUTE)
  assert.equal(stateOf(rig, next), 'sent')
  const ringing = ['e', 'f'].map((host) => {
    const id = alert(rig, host, { severity: 'critical' })
    pass(rig, 1_000)
    return id
  })
  rig.turn({ clockJumpMs: -10 * HOUR })
  rig.now -= 10 * HOUR
  pass(rig, 2 * MINUTE)
  assert.deepEqual(
    ringing.map((id) => stateOf(rig, id)),
    ['sent', 'sent'],
  )
})

test('of a hundred groups that get an alert at once all are sent within a minute, by a storm', (t) => {
  const rig = given(t)
  for (let nth = 0; nth < 100; nth++) {
    alert(rig, `a${nth}`, { service: `s${nth}` })
    pass(rig, 2_000)
  }
  pass(rig, MINUTE)
  const ids = Array.from({ length: 100 }, (_, nth) => alert(rig, `b${nth}`, { service: `s${nth}` }))
  for (let second = 0; second < 60; second++) pass(rig, 1_000)
  assert.deepEqual([...new Set(ids.map((id) => stateOf(rig, id)))], ['sent'])
})

test('groups begin after a storm that told of nothing', (t) => {
  const rig = given(t)
  for (let nth = 0; nth < 15; nth++) {
    alert(rig, `a${nth}`, { service: `s${nth}`, severity: 'critical' })
    send(rig)
  }
  pass(rig, 5 * MINUTE)
  const kinds = ['x', 'y', 'z'].map((host) => {
    const id = alert(rig, host, { service: 'new' })
    pass(rig, 20_000)
    return viaOf(rig, id)?.kind ?? 'message'
  })
  assert.deepEqual(kinds, ['message', 'group', 'group'])
})

test('a known problem that turns critical rings', (t) => {
  const rig = given(t)
  alert(rig, 'a', { severity: 'critical' })
  send(rig)
  alert(rig, 'b', { severity: 'warning' })
  pass(rig, 5_000)
  rig.now += 5 * MINUTE
  alert(rig, 'b', { severity: 'critical' })
  assert(ways(pass(rig, 10 * MINUTE)).includes('post'))
})

test('what rings has the words of an alert that fires', (t) => {
  const rig = given(t)
  alert(rig, 'a', { severity: 'critical' })
  send(rig)
  alert(rig, 'b', { severity: 'warning' })
  pass(rig, 5_000)
  rig.now += MINUTE
  alert(rig, 'u', { severity: 'critical' })
  resolve(rig, 'b')
  const [ring] = pass(rig, 30_000)
  assert.deepEqual([ring?.status, ring?.inReplyTo], ['firing', undefined])
})

test('an alert and its end in one turn are both counted', (t) => {
  const rig = given(t)
  alert(rig, 'a')
  send(rig)
  const of = { sender: 'error_tracker', service: 'db', fingerprint: 'b', severity: 'critical' } as const
  rig.commit({ drafts: [draft(of), draft({ ...of, status: 'resolved' })] })
  const group = pass(rig, 20_000).at(-1)?.group
  assert.deepEqual([group?.problems, group?.firing], [2, 1])
})

test('a silence of the first problem of a group holds no other one', (t) => {
  const conditions = [{ field: 'title', values: ['Disk of a'], where: '' }]
  const silence = silenceOf({ conditions, startsAt: START + 5_000, endsAt: START + HOUR })
  const rig = given(t, { silences: { compile: compileForTests, configured: [silence] } })
  alert(rig, 'a')
  const other = alert(rig, 'b')
  rig.now += 10_000
  for (let nth = 0; nth < 5; nth++) rig.turn({})
  pass(rig, MINUTE)
  assert.equal(stateOf(rig, other), 'sent')
})

test('the page of an incident with a large payload has the values of its group', (t) => {
  const oncall = { enable: true, waitMs: 0, provider: 'webhook' } as const
  const options = grouped(['chatws'], oncall)
  const decide = openDefaultDecide({
    channels: ['chatws'],
    group: { by: ['payload.cluster'], intervalMs: INTERVAL },
    oncall,
  })
  const rig = given(t, { ...options, decide })
  alert(rig, 'a', { content: Buffer.from(JSON.stringify({ cluster: 'eu-west', log: 'x'.repeat(70_000) })) })
  const [page] = claimPages(rig)
  assert.deepEqual([page?.content, page?.group], [undefined, { 'payload.cluster': 'eu-west' }])
})
