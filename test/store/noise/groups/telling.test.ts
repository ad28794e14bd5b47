import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupText } from '../../../../src/render/text/group-text.ts'
import {
  alert,
  alerts,
  given,
  INTERVAL,
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

test('the first alert is a message at once, and those of further problems are edited into it', (t) => {
  const rig = given(t)
  const first = alert(rig, 'a')
  assert.deepEqual(
    send(rig).map(({ kind, id, group }) => [kind, id, group]),
    [['delivery', first, undefined]],
  )
  const others = alerts(rig, ['b', 'c', 'd'])
  assert.deepEqual(statesOf(rig, others), ['folded', 'folded', 'folded'])
  assert.deepEqual([viaOf(rig, others[2] ?? '')?.kind, viaOf(rig, others[2] ?? '')?.place], ['group', 3])
  assert.deepEqual(send(rig), [], 'a little later, so that a burst is one edit')
  rig.now += 2_000
  const [edit, ...more] = send(rig)
  assert.deepEqual(more, [])
  assert.deepEqual([edit?.edits, edit?.id], [messageOf(rig, first), first], 'the words are those of the first alert')
  const { problems, firing, added, alerts: count, shown, phase } = edit?.group ?? {}
  assert.deepEqual([phase, problems, firing, added, count], ['open', 4, 4, 3, 4])
  assert.deepEqual(
    shown?.map(({ title }) => title),
    ['Disk of b', 'Disk of c', 'Disk of d'],
  )
  assert.deepEqual(statesOf(rig, others), ['sent', 'sent', 'sent'])
  const late = alert(rig, 'e')
  assert.deepEqual(pass(rig, 9_000), [])
  assert.equal(pass(rig, 2_000).length, 1)
  assert.equal(stateOf(rig, late), 'sent')
})

test('a group of one problem is told as without grouping', (t) => {
  const rig = given(t)
  const first = alert(rig, 'a')
  const repeat = alert(rig, 'a')
  const end = resolve(rig, 'a')
  assert.deepEqual(
    send(rig).map(({ id, group }) => [id, group]),
    [first, repeat, end].map((id) => [id, undefined]),
  )
  assert.deepEqual(rig.store.noise.digests({ limit: 10 }).digests, [])
  const next = alert(rig, 'b')
  assert.deepEqual(
    send(rig).map(({ id }) => id),
    [next],
    'the group was over',
  )
})

test('other values, and a rule without grouping, make other messages', (t) => {
  const rig = given(t)
  openGroup(rig)
  const other = alert(rig, 'x', { service: 'web' })
  const none = alert(rig, 'y', { service: '' })
  assert.deepEqual(
    send(rig).map(({ id }) => id),
    [other, none],
  )
})

test('an alert that is louder than all that the group told is a message of its own', (t) => {
  const rig = given(t)
  openGroup(rig)
  const loud = alert(rig, 'c', { severity: 'critical' })
  const [message] = send(rig)
  assert.deepEqual(
    [message?.id, message?.edits, message?.group, message?.inReplyTo],
    [loud, undefined, undefined, undefined],
  )
  const again = alert(rig, 'c', { severity: 'critical' })
  assert.equal(stateOf(rig, again), 'folded', 'a repeat of it is none')
  const [edit] = pass(rig, 20_000)
  assert.equal(edit?.group?.problems, 3)
})

test('an urgent alert that is not louder is told by a new message, and further ones ever more rarely', (t) => {
  const rig = given(t)
  const first = alert(rig, 'a', { severity: 'critical' })
  send(rig)
  const posts: number[] = []
  const urgent: string[] = []
  const start = rig.now
  for (let n = 0; n < 120; n++) {
    urgent.push(alert(rig, `u${n}`, { severity: 'critical' }))
    rig.now += 5_000
    for (const message of send(rig)) if (message.edits === undefined) posts.push(rig.now - start)
  }
  const gaps = posts.slice(1).map((at, nth) => at - (posts[nth] ?? 0))
  assert.ok((posts[0] ?? Infinity) <= 5_000, `${posts}`)
  assert.ok(
    gaps.every((gap, nth) => gap >= Math.min(INTERVAL, 3_000 * 2 ** nth)),
    `${posts}`,
  )
  pass(rig, INTERVAL)
  assert.deepEqual(new Set(statesOf(rig, [first, ...urgent])), new Set(['sent']))
})

test('resolutions are edited in while others fire; the last one is a message in the thread, with the numbers', (t) => {
  const rig = given(t)
  const [first] = openGroup(rig)
  const loud = alert(rig, 'c', { severity: 'critical' })
  send(rig)
  rig.now += 10 * MINUTE
  const some = [resolve(rig, 'a'), resolve(rig, 'c')]
  assert.deepEqual(statesOf(rig, some), ['folded', 'folded'])
  const last = resolve(rig, 'b')
  const [message, ...more] = send(rig)
  assert.deepEqual(more, [])
  assert.deepEqual([message?.id, message?.inReplyTo, message?.edits], [last, messageOf(rig, first), undefined])
  const { phase, problems, firing, alerts: count, firstAt, lastAt } = message?.group ?? {}
  assert.deepEqual([phase, problems, firing, count], ['over', 3, 0, 6])
  assert.ok((lastAt ?? 0) - (firstAt ?? 0) >= 10 * MINUTE)
  assert.deepEqual(statesOf(rig, [...some, loud]), ['sent', 'sent', 'sent'], 'it tells of all')
  assert.deepEqual(pass(rig, 10 * MINUTE), [])
  const late = resolve(rig, 'b')
  const [answer] = send(rig)
  assert.deepEqual([answer?.id, answer?.inReplyTo, answer?.group], [late, messageOf(rig, first), undefined])
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})

test('the resolution of the problem whose words the message has is said while others fire', (t) => {
  const rig = given(t)
  openGroup(rig)
  resolve(rig, 'a')
  const [edit] = pass(rig, 30_000).slice(-1)
  assert.deepEqual([edit?.title, edit?.group?.ownResolved], ['Disk of a', true])
  assert(edit?.group)
  assert.match(groupText(edit.group), /^👥 Group 1: 2 problems, 1 fires · the one above is resolved$/m)
  alert(rig, 'a')
  const [again] = pass(rig, 30_000).slice(-1)
  assert.equal(again?.group?.ownResolved, undefined)
})

test('where messages cannot be edited, one tells after half a minute, and further ones after the interval', (t) => {
  const rig = given(t, {}, ['email'])
  alert(rig, 'a')
  assert.equal(send(rig, 'email').length, 1)
  const burst = alerts(rig, ['b', 'c', 'd'])
  const [summary, ...none] = pass(rig, MINUTE, 'email')
  assert.deepEqual(none, [])
  assert.deepEqual([summary?.edits, summary?.id, summary?.group?.problems], [undefined, burst[2], 4])
  const more = alerts(rig, ['e', 'f'])
  assert.deepEqual(pass(rig, INTERVAL - MINUTE, 'email'), [])
  assert.equal(pass(rig, MINUTE, 'email').length, 1)
  assert.deepEqual(new Set(statesOf(rig, [...burst, ...more])), new Set(['sent']))
})

test('each destination has a group of its own', (t) => {
  const rig = given(t, {}, ['chatws', 'email'])
  alert(rig, 'a')
  for (const channel of ['chatws', 'email'] as const) assert.equal(send(rig, channel).length, 1)
  const second = alert(rig, 'b')
  const digests = rig.detail(second).deliveries.map(({ via }) => via?.digest)
  assert.equal(new Set(digests).size, 2)
  const [edit] = pass(rig, 3_000)
  const [post] = pass(rig, 31_000, 'email')
  assert.deepEqual([edit?.group?.digest, post?.group?.digest], digests)
})

test('a first message that is refused lets the group post one of its own', (t) => {
  const rig = given(t)
  alert(rig, 'a')
  const [first] = rig.claim('chatws')
  const second = alert(rig, 'b')
  assert(first)
  rig.settle(first, { state: 'dead', reason: 'channel_not_found' })
  const [post] = pass(rig, 3_000)
  assert.deepEqual([post?.edits, post?.id, post?.group?.problems], [undefined, second, 2])
})

test('a first message that is slow is edited as soon as it stands', (t) => {
  const rig = given(t)
  alert(rig, 'a')
  const [first] = rig.claim('chatws')
  alert(rig, 'b')
  assert.deepEqual(pass(rig, 30_000), [])
  assert(first)
  rig.settle(first, { state: 'sent' }, { messageId: 'slow', startedAt: rig.now })
  const [edit] = pass(rig, 1_000)
  assert.equal(edit?.edits, 'slow')
})
