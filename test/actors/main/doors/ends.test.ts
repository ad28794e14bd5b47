import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ends } from '../../../../actors/main/doors/ends.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

test('the end of a problem is committed once until another incident comes, and again after a refusal', async () => {
  const clock = new ManualClock()
  const ends = new Ends(clock)
  let commits = 0
  const commit = async () => ({ id: `end ${++commits}`, duplicate: false })
  const end = (lastId: string, by = commit) => ends.commit({ lastId }, by).then(({ id }) => id)
  assert.deepEqual(await Promise.all([end('i-1'), end('i-1')]), ['end 1', 'end 1'])
  assert.deepEqual([await end('i-1'), await end('i-2')], ['end 1', 'end 2'])
  await assert.rejects(end('i-3', () => Promise.reject(new Error('full'))))
  assert.equal(await end('i-3'), 'end 3')
  clock.advance(10_000)
  assert.equal(await end('i-1'), 'end 4')
})
