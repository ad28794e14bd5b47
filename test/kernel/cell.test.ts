import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor } from '../../src/kernel/cell.ts'
import { cellOf, type Mail, recorder } from './support/cell.ts'

test('mail of one turn is one batch, in order, up to the limit of a batch', async () => {
  const received: number[][] = []
  const { offer, settle } = cellOf({ batch: 3, build: () => recorder(received) })
  offer(1, 2, 3, 4, 5)
  await settle()
  assert.deepEqual(received, [
    [1, 2, 3],
    [4, 5],
  ])
})

test('a batch of nothing is refused', () => {
  assert.throws(() => cellOf({ batch: 0, build: () => recorder([]) }), RangeError)
})

test('auto slots are free when receive has returned', async () => {
  const { cell, offer, settle } = cellOf({ build: () => recorder([]), capacity: 2 })
  assert.deepEqual(offer(1, 2, 3), [true, true, false])
  await settle()
  assert.equal(cell.status().occupied, 0)
  assert.equal(cell.status().refused, 1)
})

test('held slots stay occupied until the actor settles them', async () => {
  const actor = recorder([])
  const { cell, offer, settle } = cellOf({ build: () => actor, slots: 'held' })
  offer(1, 2)
  await settle()
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
  const { cell, offer, settle } = cellOf({ build: () => actor })
  offer(1)
  await settle()
  offer(2, 3)
  await settle()
  assert.deepEqual(received, [[1]])
  assert.equal(cell.status().occupied, 3)
  ends[0]?.()
  await settle()
  assert.deepEqual(received, [[1], [2, 3]])
  assert.equal(cell.status().occupied, 2)
})

test('a build that throws at the start throws to whoever starts', () => {
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

test('idle resolves when what is tried again has been received too', async () => {
  const { cell, offer, settle, pass } = cellOf({ build: (instance) => recorder([], () => instance === 1) })
  offer(1)
  let idle = false
  const waiting = cell.idle().then(() => {
    idle = true
  })
  await settle()
  assert.equal(idle, false)
  await pass(50)
  assert.equal(idle, true)
  await waiting
  await cell.idle()
})

test('idle resolves although held slots are occupied, and waits for an asynchronous receive', async () => {
  let end = () => {}
  const { cell, offer, settle } = cellOf({
    slots: 'held',
    build: () => ({
      receive: () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    }),
  })
  offer(1)
  await settle()
  let idle = false
  const waiting = cell.idle().then(() => {
    idle = true
  })
  await settle()
  assert.equal(idle, false)
  end()
  await waiting
  assert.equal(cell.status().occupied, 1)
})

test('closing during the backoff cancels it, closes the actor no second time, and lets idle go', async () => {
  let closes = 0
  const { cell, clock, offer, settle, pass, built } = cellOf({
    build: () => ({ ...recorder([], () => true), close: () => void closes++ }),
  })
  offer(1)
  await settle()
  const idle = cell.idle()
  await Promise.all([cell.close(), cell.close(), idle])
  assert.deepEqual(clock.dueInMs, [])
  await pass(10_000)
  assert.equal(built(), 1)
  assert.equal(closes, 1)
  assert.equal(cell.status().state, 'closed')
})

test('closing while the failed instance still closes builds no successor', async () => {
  let closed = () => {}
  const { cell, offer, settle, pass, built } = cellOf({
    build: () => ({
      ...recorder([], () => true),
      close: () =>
        new Promise<void>((resolve) => {
          closed = resolve
        }),
    }),
  })
  offer(1)
  await settle()
  await pass(50)
  const closing = cell.close()
  closed()
  await closing
  await settle()
  assert.equal(built(), 1)
  assert.equal(cell.status().state, 'closed')
})

test('a closed actor receives nothing: not what was queued, not what comes later; both keep their slots', async () => {
  const received: number[][] = []
  const { cell, offer, settle } = cellOf({ build: () => recorder(received), capacity: 2 })
  offer(1)
  await cell.close()
  assert.deepEqual(offer(2, 3), [true, false])
  await settle()
  assert.deepEqual(received, [])
  assert.equal(cell.status().occupied, 2)
})

test('drain drains an instance that was built meanwhile too', async () => {
  const drained: number[] = []
  const { cell, offer, settle, pass } = cellOf({
    build: (instance) => ({
      ...recorder([], () => instance === 1),
      async drain() {
        drained.push(instance)
      },
    }),
  })
  offer(1)
  const draining = cell.drain()
  await settle()
  await pass(50)
  await draining
  assert.deepEqual(drained, [1, 2])
})
