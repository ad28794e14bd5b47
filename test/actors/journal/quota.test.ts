import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodiesOn, frameOf } from '../../journal/support.ts'
import { plain, Rig } from './rig.ts'

const limits = { maxBacklog: 10, dispatchesPerIncident: 2 }

test('requests are refused that would make more dispatches than the quota, and others of their batch are created', () => {
  const rig = new Rig({ limits })
  rig.commit(plain(3))
  rig.answers()
  const [batch] = rig.commit(frameOf(['{"a":4}', '{"a":5}', '{"a":6}', '{"a":7}']))
  const answer = rig.answerOf(batch)
  assert.deepEqual(
    answer.map((text) => text.slice(0, 7)),
    ['created', 'created', 'backlog', 'backlog'],
  )
  assert.deepEqual([...bodiesOn(rig.disk, 0, 5).values()].slice(3), ['{"a":4}', '{"a":5}'])
  assert.equal(rig.progress.committed, 5)
})

test('batches of one turn share the quota', () => {
  const rig = new Rig({ limits })
  const [first, second] = rig.commit(plain(5), plain(1))
  const answers = rig.answers()
  assert.deepEqual(answers.get(first ?? 0), ['created from 1'])
  assert.deepEqual(answers.get(second ?? 0), ['backlog_full'])
})

test('what apply decides is counted instead of the upper bound', () => {
  const rig = new Rig({ limits })
  rig.commit(plain(5))
  rig.answers()
  rig.applied(5, 4)
  assert.deepEqual(rig.answerOf(rig.commit(plain(3))[0]), ['created from 6'])
  assert.deepEqual(rig.answerOf(rig.commit(plain(1))[0]), ['backlog_full'])
  rig.applied(8, 0)
  assert.deepEqual(rig.answerOf(rig.commit(plain(5))[0]), ['created from 9'])
})

test('a request that is larger than the whole quota passes while nothing waits', () => {
  const rig = new Rig({ limits: { maxBacklog: 1, dispatchesPerIncident: 3 } })
  const [batch] = rig.commit(plain(2))
  assert.deepEqual(
    rig.answerOf(batch).map((text) => text.slice(0, 7)),
    ['created', 'backlog'],
  )
  assert.deepEqual(rig.answerOf(rig.commit(plain(1))[0]), ['backlog_full'])
  rig.applied(1, 0)
  assert.deepEqual(rig.answerOf(rig.commit(plain(1))[0]), ['created from 2'])
})

test('an incident counts as one dispatch when there is no channel', () => {
  const rig = new Rig({ limits: { maxBacklog: 2, dispatchesPerIncident: 0 } })
  assert.deepEqual(rig.answerOf(rig.commit(plain(2))[0]), ['created from 1'])
  assert.deepEqual(rig.answerOf(rig.commit(plain(1))[0]), ['backlog_full'])
})

test('a batch whose disk refuses does not count', () => {
  const rig = new Rig({ limits })
  rig.disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
  rig.commit(plain(5))
  rig.answers()
  rig.disk.before = () => undefined
  rig.clock.advance(500)
  assert.deepEqual(rig.answerOf(rig.commit(plain(5))[0]), ['created from 1'])
})
