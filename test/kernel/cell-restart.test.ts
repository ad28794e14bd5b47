import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Slot } from '../../src/kernel/mailbox.ts'
import { cellOf, type Mail, mail, recorder } from './support/cell.ts'

test('a message that throws is tried once more on a rebuilt actor, alone', async () => {
  const received: number[][] = []
  const { cell, offer, runAll, pass, built, deadLetters } = cellOf({
    build: (instance) => recorder(received, (n) => n === 2 && instance === 1),
  })
  offer(1, 2, 3)
  await runAll()
  assert.equal(cell.status().state, 'restarting')
  await pass(50)
  assert.deepEqual(received, [[1, 2, 3], [1], [2], [3]])
  assert.deepEqual(deadLetters, [])
  assert.equal(built(), 2)
  assert.equal(cell.status().restarts, 1)
  assert.equal(cell.status().occupied, 0)
})

test('a message that throws twice is a dead letter: counted by kind, given to the actor, its slot freed', async () => {
  const received: number[][] = []
  const given: string[] = []
  const { cell, offer, runAll, pass, deadLetters } = cellOf({
    build: () => ({
      ...recorder(received, (n) => n < 0),
      deadLetter: ({ n }: Mail, error: unknown) => given.push(`${n}: ${error}`),
    }),
  })
  offer(1)
  cell.mailbox.offer(mail(-1, 'poison'))
  offer(2)
  await runAll()
  await pass(50)
  await pass(100)
  assert.deepEqual(received, [[1, -1, 2], [1], [-1], [2]])
  assert.deepEqual(cell.status().deadLetters, { poison: 1 })
  assert.deepEqual(given, ['-1: Error: cannot stand -1'])
  assert.deepEqual(
    deadLetters.map(({ kind, error }) => `${kind}: ${error}`),
    ['poison: Error: cannot stand -1'],
  )
  assert.equal(cell.status().occupied, 0)
  assert.equal(cell.status().state, 'up')
})

test('mail that arrives during the backoff is received after the retried messages', async () => {
  const received: number[][] = []
  const { offer, runAll, pass } = cellOf({ build: (instance) => recorder(received, () => instance === 1) })
  offer(1, 2)
  await runAll()
  offer(3)
  await pass(49)
  assert.deepEqual(received, [[1, 2]])
  await pass(1)
  assert.deepEqual(received, [[1, 2], [1], [2], [3]])
})

test('messages whose slots were freed before the actor threw are not received again', async () => {
  const received: number[][] = []
  const { cell, offer, runAll, pass } = cellOf({
    slots: 'held',
    build: (instance) => ({
      receive(batch: readonly Mail[], slots: readonly Slot[]) {
        received.push(batch.map(({ n }) => n))
        slots[0]?.free()
        if (instance === 1) throw new Error('after the first')
      },
    }),
  })
  offer(1, 2)
  await runAll()
  await pass(50)
  assert.deepEqual(received, [[1, 2], [2]])
  assert.equal(cell.status().occupied, 0)
})

test('an asynchronous rejection counts as a throw', async () => {
  const { cell, offer, runAll, pass } = cellOf({
    build: () => ({ receive: () => Promise.reject(new Error('later')) }),
  })
  offer(1)
  await runAll()
  await pass(50)
  assert.deepEqual(cell.status().deadLetters, { work: 1 })
})

test('a dead letter hook that throws is reported with the dead letter and stops nothing', async () => {
  const { cell, offer, runAll, pass, deadLetters } = cellOf({
    build: () => ({
      ...recorder([], (n) => n === 1),
      deadLetter() {
        throw new Error('nobody there')
      },
    }),
  })
  offer(1, 2)
  await runAll()
  await pass(50)
  await pass(100)
  const [error] = deadLetters.map((letter) => letter.error)
  assert.ok(error instanceof AggregateError)
  assert.deepEqual(error.errors.map(String), ['Error: cannot stand 1', 'Error: nobody there'])
  assert.equal(cell.status().state, 'up')
  assert.equal(cell.status().occupied, 0)
})

test('the backoff doubles up to its maximum with failures in a row, and starts again after a success', async () => {
  const { offer, runAll, pass, failures } = cellOf({ batch: 1, build: () => recorder([], (n) => n < 0) })
  for (let n = 0; n < 3; n++) {
    offer(-1)
    await runAll()
    await pass(400)
    await pass(400)
  }
  assert.deepEqual(
    failures.map(({ restartInMs }) => restartInMs),
    [50, 100, 200, 400, 400, 400],
  )
  offer(1, -1)
  await runAll()
  assert.equal(failures.at(-1)?.restartInMs, 50)
})

test('a failed actor is closed once, at once, and its successor is built after it has closed', async () => {
  const closes: number[] = []
  let closed = () => {}
  const { offer, runAll, pass, built } = cellOf({
    build: (instance) => ({
      ...recorder([], () => instance === 1),
      close() {
        closes.push(instance)
        return new Promise<void>((resolve) => {
          closed = resolve
        })
      },
    }),
  })
  offer(1)
  await runAll()
  assert.deepEqual(closes, [1])
  await pass(50)
  assert.equal(built(), 1)
  closed()
  await runAll()
  assert.equal(built(), 2)
  assert.deepEqual(closes, [1])
})

test('a close that throws is reported and does not keep the actor from being rebuilt', async () => {
  const { cell, offer, runAll, pass, failures } = cellOf({
    build: (instance) => ({
      ...recorder([], () => instance === 1),
      close() {
        throw new Error('cannot close')
      },
    }),
  })
  offer(1)
  await runAll()
  await pass(50)
  assert.deepEqual(
    failures.map(({ error }) => String(error)),
    ['Error: cannot stand 1', 'Error: cannot close'],
  )
  assert.equal(cell.status().state, 'up')
  await assert.rejects(cell.close(), /cannot close/)
})

test('a build that throws during a restart is repeated until it succeeds, and no mail is lost', async () => {
  const received: number[][] = []
  const { cell, offer, runAll, pass, failures } = cellOf({
    build: (instance) => {
      if (instance > 1 && instance < 6) throw new Error('not yet')
      return recorder(received, () => instance === 1)
    },
  })
  offer(1)
  await runAll()
  for (const waitMs of [50, 100, 200, 400]) {
    await pass(waitMs)
    assert.equal(cell.status().state, 'restarting')
  }
  offer(2)
  await pass(400)
  assert.equal(cell.status().state, 'up')
  assert.deepEqual(received, [[1], [1], [2]])
  assert.equal(failures.length, 5)
  assert.equal(cell.status().restarts, 1)
})

test('a receive that fails after the close is a dead letter', async () => {
  let fail = (_: Error) => {}
  const { cell, clock, offer, runAll, deadLetters } = cellOf({
    build: () => ({
      receive: () =>
        new Promise<void>((_, reject) => {
          fail = reject
        }),
    }),
  })
  offer(1)
  await runAll()
  await cell.close()
  fail(new Error('connection gone'))
  await runAll()
  assert.equal(deadLetters.length, 1)
  assert.equal(cell.status().occupied, 0)
  assert.deepEqual(clock.dueInMs, [])
})
