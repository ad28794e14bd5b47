import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor } from '../../src/kernel/cell.ts'
import { cellOf, type Mail, recorder } from './support/cell.ts'

test('mail of one turn is one batch, in order, up to the limit of a batch', async () => {
  const received: number[][] = []
  const { offer, runAll } = cellOf({ batch: 3, build: () => recorder(received) })
  offer(1, 2, 3, 4, 5)
  await runAll()
  assert.deepEqual(received, [
    [1, 2, 3],
    [4, 5],
  ])
})

test('a batch size of zero is refused', () => {
  assert.throws(() => cellOf({ batch: 0, build: () => recorder([]) }), RangeError)
})

test('auto slots are free when receive has returned', async () => {
  const { cell, offer, runAll } = cellOf({ build: () => recorder([]), capacity: 2 })
  assert.deepEqual(offer(1, 2, 3), [true, true, false])
  await runAll()
  assert.equal(cell.status().occupied, 0)
  assert.equal(cell.status().refused, 1)
})

test('held slots stay occupied until the actor frees them', async () => {
  const actor = recorder([])
  const { cell, offer, runAll } = cellOf({ build: () => actor, slots: 'held' })
  offer(1, 2)
  await runAll()
  assert.equal(cell.status().occupied, 2)
  assert.equal(cell.status().queued, 0)
  actor.slots[0]?.free()
  assert.equal(cell.status().occupied, 1)
})

test('an asynchronous receive is never overlapped by another', async () => {
  const ends: (() => void)[] = []
  const received: number[][] = []
  const actor: Actor<Mail> = {
    receive: (batch) => {
      received.push(batch.map(({ n }) => n))
      return new Promise<void>((resolve) => ends.push(resolve))
    },
  }
  const { cell, offer, runAll } = cellOf({ build: () => actor })
  offer(1)
  await runAll()
  offer(2, 3)
  await runAll()
  assert.deepEqual(received, [[1]])
  assert.equal(cell.status().occupied, 3)
  ends[0]?.()
  await runAll()
  assert.deepEqual(received, [[1], [2, 3]])
  assert.equal(cell.status().occupied, 2)
})

test('with a pause the first mail is received at once, and what comes during the pause is one batch', async () => {
  const received: number[][] = []
  const { clock, offer, runAll } = cellOf({ build: () => recorder(received), pauseMs: 2 })
  offer(1)
  await runAll()
  for (const n of [2, 3, 4]) {
    offer(n)
    await runAll()
  }
  assert.deepEqual(received, [[1]])
  clock.advance(2)
  await runAll()
  assert.deepEqual(received, [[1], [2, 3, 4]])
  clock.advance(1_000)
  offer(5)
  await runAll()
  assert.deepEqual(received.at(-1), [5])
})

test('who waits for a cell to be idle ends its pause, and there is none until it is idle', async () => {
  const received: number[][] = []
  const { cell, offer, runAll } = cellOf({ build: () => recorder(received), pauseMs: 1_000 })
  offer(1)
  await runAll()
  offer(2)
  const idle = cell.idle()
  await runAll()
  await idle
  assert.deepEqual(received, [[1], [2]])
})

test('a cell that closes during a pause is idle, and receives no more', async () => {
  const received: number[][] = []
  const { cell, clock, offer, runAll } = cellOf({ build: () => recorder(received), pauseMs: 1_000 })
  offer(1)
  await runAll()
  offer(2)
  await cell.close()
  await cell.idle()
  clock.advance(5_000)
  await runAll()
  assert.deepEqual(received, [[1]])
})

test('a build that throws at the start throws out of the constructor', () => {
  assert.throws(
    () =>
      cellOf({
        build: () => {
          throw new Error('no start')
        },
      }),
    /no start/,
  )
})

test('idle resolves after retried messages are received', async () => {
  const { cell, offer, runAll, pass } = cellOf({ build: (instance) => recorder([], () => instance === 1) })
  offer(1)
  let idle = false
  const waiting = cell.idle().then(() => {
    idle = true
  })
  await runAll()
  assert.equal(idle, false)
  await pass(50)
  assert.equal(idle, true)
  await waiting
  await cell.idle()
})

test('idle resolves although held slots are occupied, and waits for an asynchronous receive', async () => {
  let end = () => {}
  const { cell, offer, runAll } = cellOf({
    slots: 'held',
    build: () => ({
      receive: () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    }),
  })
  offer(1)
  await runAll()
  let idle = false
  const waiting = cell.idle().then(() => {
    idle = true
  })
  await runAll()
  assert.equal(idle, false)
  end()
  await waiting
  assert.equal(cell.status().occupied, 1)
})

test('closing during the backoff cancels it, does not close the actor again, and resolves idle', async () => {
  let closes = 0
  const { cell, clock, offer, runAll, pass, built } = cellOf({
    build: () => ({ ...recorder([], () => true), close: () => void closes++ }),
  })
  offer(1)
  await runAll()
  const idle = cell.idle()
  await Promise.all([cell.close(), cell.close(), idle])
  assert.deepEqual(clock.dueInMs, [])
  await pass(10_000)
  assert.equal(built(), 1)
  assert.equal(closes, 1)
  assert.equal(cell.status().state, 'closed')
})

test('closing while a failed actor closes builds no successor', async () => {
  let closed = () => {}
  const { cell, offer, runAll, pass, built } = cellOf({
    build: () => ({
      ...recorder([], () => true),
      close: () =>
        new Promise<void>((resolve) => {
          closed = resolve
        }),
    }),
  })
  offer(1)
  await runAll()
  await pass(50)
  const closing = cell.close()
  closed()
  await closing
  await runAll()
  assert.equal(built(), 1)
  assert.equal(cell.status().state, 'closed')
})

test('a closed actor receives neither queued nor later mail, and both keep their slots', async () => {
  const received: number[][] = []
  const { cell, offer, runAll } = cellOf({ build: () => recorder(received), capacity: 2 })
  offer(1)
  await cell.close()
  assert.deepEqual(offer(2, 3), [true, false])
  await runAll()
  assert.deepEqual(received, [])
  assert.equal(cell.status().occupied, 2)
})

test('drain also drains an actor that was built meanwhile', async () => {
  const drained: number[] = []
  const { cell, offer, runAll, pass } = cellOf({
    build: (instance) => ({
      ...recorder([], () => instance === 1),
      async drain() {
        drained.push(instance)
      },
    }),
  })
  offer(1)
  const draining = cell.drain()
  await runAll()
  await pass(50)
  await draining
  assert.deepEqual(drained, [1, 2])
})
