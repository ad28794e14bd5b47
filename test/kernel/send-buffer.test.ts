import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mailbox } from '../../src/kernel/mailbox.ts'
import { nearRef } from '../../src/kernel/ref.ts'
import { SendBuffer } from '../../src/kernel/send-buffer.ts'
import { flow } from './support/flow.ts'

function waitingFor(window: number) {
  const mailbox = new Mailbox<number>({ capacity: window })
  const sendBuffer = new SendBuffer<number>(nearRef('slow', mailbox, window))
  const told: number[] = []
  const received: number[] = []
  return {
    mailbox,
    sendBuffer,
    told,
    received,
    tell: (...ns: number[]) => ns.forEach((n) => sendBuffer.tell(n, () => told.push(n))),
    /** The receiver is through with its oldest message. */
    work() {
      const { messages, slots } = mailbox.take(1)
      received.push(...messages)
      slots[0]?.free()
    },
  }
}

test('what finds no room waits and is told in order when there is', () => {
  const { sendBuffer, told, received, tell, work } = waitingFor(2)
  tell(1, 2, 3, 4)
  assert.deepEqual(told, [1, 2])
  assert.equal(sendBuffer.length, 2)
  work()
  assert.deepEqual(told, [1, 2, 3])
  tell(5)
  for (let n = 0; n < 4; n++) work()
  assert.deepEqual(told, [1, 2, 3, 4, 5])
  assert.deepEqual(received, [1, 2, 3, 4, 5])
})

test('it is idle when all has been told and settled', () => {
  const { sendBuffer, tell, work } = waitingFor(1)
  let idle = 0
  sendBuffer.whenIdle(() => idle++)
  assert.equal(idle, 1)
  tell(1, 2)
  sendBuffer.whenIdle(() => idle++)
  work()
  assert.equal(idle, 1)
  work()
  assert.equal(idle, 2)
})

test('what is dropped frees its places and lets go whoever waits for idle', () => {
  const { sendBuffer, told, tell, work, received } = waitingFor(1)
  let idle = 0
  tell(1, 2, 3)
  sendBuffer.whenIdle(() => idle++)
  sendBuffer.clear()
  assert.deepEqual(told, [1, 2, 3])
  assert.equal(sendBuffer.length, 0)
  work()
  assert.equal(idle, 1)
  tell(4, 5)
  work()
  work()
  assert.deepEqual(received, [1, 4, 5])
})

test('after being cleared it waits for room no more than once', () => {
  const { mailbox, sendBuffer, tell, work } = waitingFor(1)
  tell(0)
  for (let n = 1; n < 5; n++) {
    tell(n)
    sendBuffer.clear()
  }
  tell(9, 10)
  work()
  assert.equal(mailbox.occupied, 1)
  assert.equal(sendBuffer.length, 1)
})

test('while the peer is down it keeps what it has, and whoever waits for idle goes on waiting', () => {
  const f = flow({ windows: { jobs: 1 } })
  const sendBuffer = new SendBuffer(f.outlet('jobs'))
  let idle = 0
  sendBuffer.tell({ n: 1 }, () => {})
  sendBuffer.tell({ n: 2 }, () => {})
  sendBuffer.whenIdle(() => idle++)
  f.connect()
  f.sender.detach()
  f.connect()
  f.settle()
  assert.deepEqual(f.takeAll('jobs'), [2])
  assert.equal(idle, 0)
  f.settleAll()
  f.settle()
  assert.equal(idle, 1)
})
