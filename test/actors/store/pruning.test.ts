import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPruneSchedule } from '../../../actors/store/pruning.ts'

test('retention runs once in 256 commits, and with the next commit when its transaction was undone', () => {
  const pruned: number[] = []
  const prune = createPruneSchedule({ prune: (rows) => pruned.push(rows) })
  prune.afterCommit(1)
  pruned.length = 0
  for (let n = 0; n < 255; n++) prune.afterCommit(1)
  assert.deepEqual(pruned, [])
  prune.afterCommit(1)
  assert.deepEqual(pruned, [512])
  prune.afterCommit(1)
  assert.equal(pruned.length, 1)
  prune.rollback()
  prune.afterCommit(1)
  assert.equal(pruned.length, 2)
})
