import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairSemaphore } from '../../../src/render/pool/fair-semaphore.ts'

/** Runs named turns through lanes; a turn ends when it is told to. */
function turns(lanes: FairSemaphore) {
  const started: string[] = []
  const open = new Map<string, () => void>()
  const run = (lane: string, name: string) =>
    lanes.run(lane, () => {
      started.push(name)
      return new Promise<void>((end) => open.set(name, end))
    })
  const end = async (name: string) => {
    await new Promise(setImmediate)
    open.get(name)?.()
    await new Promise(setImmediate)
  }
  return { started, run, end }
}

test('lanes with work take turns', async () => {
  const { started, run, end } = turns(new FairSemaphore(1))
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2')]
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await end(name)
  await Promise.all(all)
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3', 'b2'])
})

test('no more turns are under way than there are permits, also after one that failed', async () => {
  const lanes = new FairSemaphore(2)
  await assert.rejects(lanes.run('a', () => Promise.reject(new Error('failed'))))
  const { started, run, end } = turns(lanes)
  const all = [run('a', '1'), run('a', '2'), run('a', '3')]
  await end('none')
  assert.deepEqual(started, ['1', '2'])
  for (const name of ['1', '2', '3']) await end(name)
  await Promise.all(all)
})

test('closing refuses those who wait and waits for those under way', async () => {
  const lanes = new FairSemaphore(1)
  const { started, run, end } = turns(lanes)
  const first = run('a', 'first')
  const second = assert.rejects(run('a', 'second'), { code: 'shutting_down' })
  await end('none')
  const closing = lanes.close()
  await second
  await end('first')
  await Promise.all([first, closing])
  assert.deepEqual(started, ['first'])
})
