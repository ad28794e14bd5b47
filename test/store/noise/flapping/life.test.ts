import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START } from '../../support.ts'
import { fire, HOUR, MINUTE, resolve, send, stateOf, statesOf } from '../repeats/rig.ts'
import { SilenceRig, silenceOf } from '../silences/rig.ts'
import { flip, given, lines, OFF, ON, ONCALL, page, untilOver } from './rig.ts'

test('the pager is triggered once, and resolved when flapping is over', (t) => {
  const rig = given(t, { oncall: ONCALL })
  const quick = flip(rig, 60)
  assert.deepEqual(page(rig), [], 'every end came before the time of the page')
  assert(!quick.some((id) => rig.detail(id).oncall?.state === 'joined'))
  const first = fire(rig)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  const more = flip(rig, 21, { from: 'resolved', everyMs: 3 * MINUTE })
  assert.equal(rig.detail(first).oncall?.state, 'paged', 'no end of it is told')
  assert.deepEqual(page(rig), [])
  const states = more.flatMap((id) => rig.detail(id).oncall?.state ?? [])
  assert.equal(states.length, 10)
  assert(!states.some((state) => state === 'armed' || state === 'paging'), 'firing ones join')
  fire(rig)
  rig.now += 10 * MINUTE
  assert.deepEqual(page(rig), [])
  untilOver(rig)
  send(rig)
  assert.deepEqual(page(rig), [], 'it fires: its page stays')
  resolve(rig)
  assert.deepEqual(page(rig), ['resolve'])
})

test('the end of a problem that is resolved resolves its page and those that joined it', (t) => {
  const rig = given(t, { oncall: ONCALL })
  const paged = flip(rig, 7).at(-1) ?? ''
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  resolve(rig)
  assert.equal(rig.detail(fire(rig)).oncall?.state, 'joined')
  resolve(rig)
  assert.deepEqual(page(rig), [])
  assert.equal(rig.detail(paged).oncall?.state, 'paged')
  assert.deepEqual(
    untilOver(rig).flatMap(({ effects }) => effects),
    [{ kind: 'announce', action: 'resolved' }],
  )
  assert.deepEqual(page(rig), ['resolve'])
  assert.equal(rig.detail(paged).oncall?.state, 'resolved')
})

test('a person ends the page of a problem that flaps', (t) => {
  const rig = given(t, { oncall: ONCALL })
  const ids = flip(rig, 7)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  rig.store.operator.resolve(ids.at(-1) ?? '', 'Ada')
  assert.deepEqual(page(rig), ['resolve'])
  untilOver(rig)
  lines(rig)
  rig.now += 2 * HOUR
  assert.deepEqual([lines(rig), page(rig)], [[], []])
})

test('it ends during a downtime: the message and the resolve come at the start', (t) => {
  const rig = given(t, { oncall: ONCALL })
  flip(rig, 7)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  resolve(rig)
  lines(rig)
  rig.now += 5 * HOUR
  rig.reopen()
  assert.match(lines(rig)[0] ?? '', /^post 🔁 flapping is over, resolved: fired ×1, resolved ×2 in /)
  assert.deepEqual(page(rig), ['resolve'])
})

test('after a crash with a message on its way it is sent again, and nothing is told twice over', (t) => {
  const rig = given(t)
  const ids = flip(rig, 9)
  rig.now += MINUTE
  const [edit] = rig.claim('chatws')
  assert(edit?.edits)
  rig.reopen()
  assert.equal(lines(rig).length, 1)
  assert.deepEqual(statesOf(rig, ids), Array(9).fill('sent'))
  untilOver(rig)
  const [last] = rig.claim('chatws')
  assert.equal(last?.repeats?.over, true)
  rig.reopen()
  const [again] = send(rig)
  assert.deepEqual([again?.repeats?.over, again?.mayDuplicate], [true, true])
  rig.now += 2 * HOUR
  assert.deepEqual(lines(rig), [])
})

test('switched off, it is over for all; switched on, it begins with the next change', (t) => {
  const rig = given(t, { oncall: ONCALL })
  const ids = flip(rig, 7)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  ids.push(resolve(rig))
  assert.deepEqual(page(rig), [])
  rig.reopen({ flapping: OFF })
  assert.match(lines(rig)[0] ?? '', /^post 🔁 flapping is over, resolved/)
  assert.deepEqual(page(rig), ['resolve'])
  const off = flip(rig, 4)
  for (const id of off) assert.equal(rig.detail(id).deliveries[0]?.via, null)
  rig.reopen({ flapping: ON })
  const repeated = flip(rig, 1, { from: 'resolved' })
  assert.equal(rig.detail(repeated[0] ?? '').deliveries[0]?.via, null, 'it was resolved before')
  const on = flip(rig, 2)
  assert.equal(rig.detail(on[0] ?? '').deliveries[0]?.via?.kind, 'flapping')
  assert.deepEqual(statesOf(rig, ids), Array(8).fill('sent'))
})

test('a silence holds messages and timers, and the end of flapping comes after it', (t) => {
  const [startsAt, endsAt] = [START + 5 * MINUTE, START + 2 * HOUR]
  const rig = new SilenceRig(t, [silenceOf({ startsAt, endsAt })], { flapping: ON, maxBacklog: 100_000 })
  const sender = 'error_tracker'
  for (let n = 0; n < 8; n++) {
    rig.now += 10_000
    if (n % 2 === 0) rig.incident('disk', { sender })
    else rig.resolved('disk', { sender })
    rig.deliver()
  }
  rig.at(4 * MINUTE)
  rig.takeTold()
  rig.at(6 * MINUTE)
  const held = rig.incident('disk', { sender })
  assert.equal(stateOf(rig, held), 'held')
  const end = rig.resolved('disk', { sender })
  rig.at(100 * MINUTE)
  assert.deepEqual(rig.takeTold(), [])
  rig.at(122 * MINUTE)
  assert.deepEqual(statesOf(rig, [held, end]), ['silenced', 'silenced'], 'it began and ended within the silence')
  const told = rig.takeTold()
  assert.equal(told.filter((line) => line.startsWith('chatws: disk over')).length, 1)
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})

test('a clock that is set back or forward ends it no later', (t) => {
  const rig = given(t)
  flip(rig, 8)
  rig.now -= 10 * HOUR
  rig.turn({ clockJumpMs: -10 * HOUR })
  lines(rig)
  rig.now += HOUR
  assert.match(lines(rig)[0] ?? '', /flapping is over/)
  flip(rig, 10)
  rig.now -= 10 * HOUR
  rig.reopen()
  rig.now += HOUR
  assert.match(lines(rig).at(-1) ?? '', /flapping is over/)
})

test('switched off, every change is a message', (t) => {
  const rig = given(t, { flapping: OFF, oncall: ONCALL })
  const ids = flip(rig, 12)
  for (const id of ids) assert.equal(rig.detail(id).deliveries[0]?.via, null)
  assert.equal(rig.detail(fire(rig)).oncall?.state, 'armed')
})

test('a timer that has not paged is cancelled by the end, a page that a person took is not', (t) => {
  const rig = given(t, { oncall: ONCALL })
  flip(rig, 6)
  const armed = fire(rig)
  assert.equal(rig.detail(armed).oncall?.state, 'armed')
  const joined = fire(rig)
  assert.equal(rig.detail(joined).oncall?.state, 'joined')
  resolve(rig)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), [])
  assert.deepEqual(
    [armed, joined].map((id) => rig.detail(id).oncall?.state),
    ['resolved', 'resolved'],
  )
  const taken = fire(rig)
  rig.store.operator.acknowledge(taken, 'Ada')
  resolve(rig)
  assert.equal(rig.detail(taken).oncall?.state, 'acknowledged')
  assert.equal(rig.detail(fire(rig)).oncall?.state, 'joined', 'she works on it')
})

test('it ends while it fires: the page comes, stays, and is resolved by the end of the problem', (t) => {
  const rig = given(t, { oncall: ONCALL })
  flip(rig, 10)
  const last = fire(rig)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  lines(rig)
  untilOver(rig)
  assert.match(lines(rig)[0] ?? '', /^post 🔁 flapping is over, still firing: fired ×3, resolved ×3 in /)
  assert.deepEqual(page(rig), [])
  assert.equal(rig.detail(last).oncall?.state, 'paged')
  resolve(rig)
  assert.deepEqual(page(rig), ['resolve'])
})

test('a severity louder than all before it pages, whatever page is open', (t) => {
  const rig = given(t, { oncall: ONCALL })
  flip(rig, 7)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  const louder = fire(rig, { severity: 'critical' })
  assert.equal(rig.detail(louder).oncall?.state, 'armed')
  assert.equal(rig.detail(fire(rig, { severity: 'critical' })).oncall?.state, 'joined')
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
})
