import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

test('without a silence everything is told at once', (t) => {
  const rig = new SilenceRig(t)
  rig.incident('disk')
  rig.deliver()
  assert.deepEqual(rig.told, ['chatws: disk'])
  assert.equal(rig.store.outbox.nextDueAt('any'), Infinity)
})

test('nothing of what a silence fits is told before its end', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  const id = rig.incident('disk')
  rig.incident('cards', { service: 'payments' })
  rig.at(30 * MINUTE)
  assert.deepEqual(rig.told, ['chatws: cards'])
  assert.deepEqual(rig.paged, ['trigger cards'])
  assert.deepEqual(rig.states(id), ['chatws held'])
  const { notify_status, silence, oncall } = rig.detail(id)
  assert.deepEqual([notify_status, silence, oncall?.state], ['pending', 1, 'held'])
})

test('a problem that still fires at the end is told, and its timer runs its full wait', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.incident('disk')
  rig.at(HOUR)
  assert.deepEqual(rig.takeTold(), [
    'chatws: 🔔 Silence "patches" (Anna) over: 1 alert of 1 problem held, 0 resolved, 1 still firing, sent now',
    'chatws: disk',
  ])
  rig.at(HOUR + 4 * MINUTE)
  assert.deepEqual(rig.paged, [])
  rig.at(HOUR + 5 * MINUTE)
  assert.deepEqual(rig.paged, ['trigger disk'])
})

test('of each problem the newest incident is told, and the silence says how many it held', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  const first = rig.incident('disk')
  rig.incident('disk', { title: 'disk again' })
  rig.incident('cpu')
  rig.resolved('cpu')
  rig.at(HOUR)
  assert.deepEqual(rig.takeTold(), [
    'chatws: 🔔 Silence "patches" (Anna) over: 4 alerts of 2 problems held, 1 resolved, 1 still firing, sent now',
    'chatws: disk again',
  ])
  assert.deepEqual(rig.states(first), ['chatws silenced'])
  assert.equal(rig.detail(first).notify_status, 'silenced')
  assert.equal(rig.detail(first).oncall?.state, 'joined')
  rig.at(2 * HOUR)
  assert.deepEqual(rig.paged, ['trigger disk again'])
})

test('the end of a problem that was told before passes at once, to channels and pager', (t) => {
  const rig = new SilenceRig(t, [silenceOf({ startsAt: silenceOf().startsAt + 10 * MINUTE })])
  rig.incident('disk')
  rig.at(6 * MINUTE)
  assert.deepEqual([rig.takeTold(), rig.takePaged()], [['chatws: disk'], ['trigger disk']])
  rig.at(11 * MINUTE)
  rig.incident('disk', { title: 'disk again' })
  rig.at(20 * MINUTE)
  assert.deepEqual(rig.told, [])
  rig.resolved('disk')
  rig.deliver()
  assert.deepEqual([rig.takeTold(), rig.takePaged()], [['chatws: disk over'], ['resolve disk']])
  rig.at(70 * MINUTE)
  assert.deepEqual(rig.takeTold(), [
    'chatws: 🔔 Silence "patches" (Anna) over: 1 alert of 1 problem held, 1 resolved, 0 still firing',
  ])
})

test('what waits already when a silence begins is held; what was sent is not', (t) => {
  const rig = new SilenceRig(t)
  rig.incident('sent')
  rig.deliver()
  const waiting = rig.incident('waiting')
  rig.store.silences.add(silenceOf(), false)
  assert.deepEqual(rig.states(waiting), ['chatws held'])
  rig.at(30 * MINUTE)
  assert.deepEqual([rig.takeTold(), rig.takePaged()], [['chatws: sent'], []])
  rig.at(HOUR)
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: waiting'])
  rig.at(HOUR + 5 * MINUTE)
  assert.deepEqual(rig.takePaged(), ['trigger sent', 'trigger waiting'])
})

test('a preview looks at the newest incidents for half a second', (t) => {
  let [elapsedMs, stepMs] = [0, 0]
  const elapsed = () => {
    elapsedMs += stepMs
    return elapsedMs
  }
  const rig = new SilenceRig(t, [], { elapsed })
  for (let count = 0; count < 30; count++) rig.incident('disk')
  const previewed = () => rig.store.silences.preview(silenceOf())
  assert.deepEqual([previewed().looked_at, previewed().incidents], [30, 30])
  stepMs = 100
  assert.deepEqual([previewed().looked_at, previewed().incidents], [4, 4])
})
