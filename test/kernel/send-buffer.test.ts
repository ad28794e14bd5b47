import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mailbox } from '../../src/kernel/mailbox.ts'
import { nearRef } from '../../src/kernel/ref.ts'
import { SendBuffer } from '../../src/kernel/send-buffer.ts'
import { flow } from './support/flow.ts'

function waitingFor(window: number) {
  const mailbox = new Mailbox<number>({ capacity: window })
  const sendBuffer = new SendBuffer<number>(nearRef('slow', mailbox, window))
  const sent: number[] = []
  const received: number[] = []
  return {
    mailbox,
    sendBuffer,
    sent,
    received,
    tell: (...ns: number[]) => ns.forEach((n) => sendBuffer.tell(n, () => sent.push(n))),
    /** The receiver handles its oldest message. */
    work() {
      const { messages, slots } = mailbox.take(1)
      received.push(...messages)
      slots[0]?.free()
    },
  }
}

test('messages that find no room are sent in order when there is room', () => {
  const { sent, received, tell, work } = waitingFor(2)
  tell(1, 2, 3, 4)
  assert.deepEqual(sent, [1, 2])
  work()
  assert.deepEqual(sent, [1, 2, 3])
  tell(5)
  for (let n = 0; n < 4; n++) work()
  assert.deepEqual(sent, [1, 2, 3, 4, 5])
  assert.deepEqual(received, [1, 2, 3, 4, 5])
})

test('it is idle when all messages are sent and their slots free', () => {
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

test('clearing it calls back for each dropped message and resolves idle', () => {
  const { sendBuffer, sent, tell, work, received } = waitingFor(1)
  let idle = 0
  tell(1, 2, 3)
  sendBuffer.whenIdle(() => idle++)
  sendBuffer.clear()
  assert.deepEqual(sent, [1, 2, 3])
  work()
  assert.equal(idle, 1)
  tell(4, 5)
  work()
  work()
  assert.deepEqual(received, [1, 4, 5])
})

test('after it was cleared it waits for room once at most', () => {
  const { mailbox, sendBuffer, tell, work } = waitingFor(1)
  tell(0)
  for (let n = 1; n < 5; n++) {
    tell(n)
    sendBuffer.clear()
  }
  tell(9, 10)
  work()
  assert.equal(mailbox.occupied, 1)
})

test('while the peer is down it keeps its messages and is not idle', () => {
  const f = flow({ windows: { jobs: 1 } })
  const sendBuffer = new SendBuffer(f.outlet('jobs'))
  let idle = 0
  sendBuffer.tell({ n: 1 }, () => {})
  sendBuffer.tell({ n: 2 }, () => {})
  sendBuffer.whenIdle(() => idle++)
  f.connect()
  f.sender.detach()
  f.connect()
  f.exchange()
  assert.deepEqual(f.takeAll('jobs'), [2])
  assert.equal(idle, 0)
  f.freeAll()
  f.exchange()
  assert.equal(idle, 1)
})
