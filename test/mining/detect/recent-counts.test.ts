import assert from 'node:assert/strict'
import test from 'node:test'
import { RecentCounts } from '../../../src/mining/detect/recent-counts.ts'

const counts = (...all: [id: string, count: number][]) => all.map(([id, count]) => ({ id, count }))

test('each tick has the number of lines of a pattern, also when there were none', () => {
  const recent = new RecentCounts()
  for (const count of [100, 103, 103, 110]) recent.record(counts(['a', count]))
  assert.deepEqual(recent.of('a'), [3, 0, 7])
})

test('a new pattern counts from its first tick on, and a removed one is forgotten', () => {
  const recent = new RecentCounts()
  recent.record(counts(['a', 5]))
  recent.record(counts(['a', 5], ['b', 2]))
  assert.deepEqual([recent.of('a'), recent.of('b')], [[0], [2]])
  recent.record(counts(['b', 2]))
  assert.deepEqual([recent.of('a'), recent.of('b')], [[], [2, 0]])
})

test('only the last forty ticks are kept', () => {
  const recent = new RecentCounts()
  for (let count = 0; count <= 60; count++) recent.record(counts(['a', count * count]))
  assert.equal(recent.of('a').length, 40)
  assert.equal(recent.of('a').at(-1), 60 * 60 - 59 * 59)
})
