import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairSemaphore } from '../../../src/render/pool/fair-semaphore.ts'

/** Runs named work through a semaphore; each ends when `end` is called. */
function controlled(semaphore: FairSemaphore) {
  const started: string[] = []
  const open = new Map<string, () => void>()
  const run = (key: string, name: string) =>
    semaphore.run(key, () => {
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

test('keys with work are served in rotation', async () => {
  const { started, run, end } = controlled(new FairSemaphore(1))
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2')]
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await end(name)
  await Promise.all(all)
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3', 'b2'])
})

test('no more work runs than there are permits, also after a failure', async () => {
  const semaphore = new FairSemaphore(2)
  await assert.rejects(semaphore.run('a', () => Promise.reject(new Error('failed'))))
  const { started, run, end } = controlled(semaphore)
  const all = [run('a', '1'), run('a', '2'), run('a', '3')]
  await end('none')
  assert.deepEqual(started, ['1', '2'])
  for (const name of ['1', '2', '3']) await end(name)
  await Promise.all(all)
})

test('closing rejects waiting work and waits for running work', async () => {
  const semaphore = new FairSemaphore(1)
  const { started, run, end } = controlled(semaphore)
  const first = run('a', 'first')
  const second = assert.rejects(run('a', 'second'), { code: 'shutting_down' })
  await end('none')
  const closing = semaphore.close()
  await second
  await end('first')
  await Promise.all([first, closing])
  assert.deepEqual(started, ['first'])
})
