import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../../src/domain/delivery/delivery.ts'
import { SENT, setup } from './sender-rig.ts'

test('a resolution that comes while its firing message is on the wire waits for it, and replies to it', async () => {
  const firing = Promise.withResolvers<Outcome>()
  const replies: [string, string | undefined][] = []
  const sender = setup({
    send(message) {
      replies.push([message.incidentId, message.inReplyTo])
      return message.incidentId === '1' ? firing.promise : Promise.resolve(SENT)
    },
  })
  await sender.deliver(1)
  await sender.deliverWith(2, { status: 'resolved' })
  await sender.deliverWith(3, { status: 'resolved', code: 1, inReplyTo: 'm-0' })
  await sender.deliverWith(4, { status: 'resolved', fingerprint: 'other' })
  assert.deepEqual(replies, [
    ['1', undefined],
    ['3', 'm-0'],
    ['4', undefined],
  ])
  firing.resolve({ kind: 'sent', messageId: 'm-1' })
  await sender.pass()
  assert.deepEqual(replies.at(-1), ['2', 'm-1'])
})

test('a resolution whose firing message failed goes out by itself', async () => {
  const replies: unknown[] = []
  const sender = setup({
    async send({ status, inReplyTo }) {
      replies.push([status, inReplyTo])
      return status === 'firing' ? { kind: 'retry', reason: 'down' } : SENT
    },
  })
  await sender.deliver(1)
  await sender.deliverWith(2, { status: 'resolved' })
  assert.deepEqual(replies, [
    ['firing', undefined],
    ['resolved', undefined],
  ])
})

test('a firing message whose sending broke keeps no resolution back, and one that fires again is waited for', async () => {
  const again = Promise.withResolvers<Outcome>()
  const replies: [string, string | undefined][] = []
  const sender = setup({
    async send({ incidentId, inReplyTo }) {
      if (incidentId === '1') throw new Error('a bug')
      replies.push([incidentId, inReplyTo])
      return incidentId === '3' ? again.promise : SENT
    },
  })
  await sender.deliver(1)
  await sender.deliverWith(2, { status: 'resolved' })
  await sender.deliver(3)
  await sender.deliverWith(4, { status: 'resolved' })
  again.resolve({ kind: 'sent', messageId: 'm-3' })
  await sender.pass()
  assert.deepEqual(replies, [
    ['2', undefined],
    ['3', undefined],
    ['4', 'm-3'],
  ])
})

test('a firing message that is over tells a resolution nothing that storage knows', async () => {
  const replies: (string | undefined)[] = []
  const sender = setup({
    async send({ status, inReplyTo }) {
      if (status === 'resolved') replies.push(inReplyTo)
      return { kind: 'sent', messageId: 'm-1' }
    },
  })
  await sender.deliver(1)
  await sender.deliverWith(2, { status: 'resolved', inReplyTo: 'm-9' })
  await sender.deliverWith(3, { status: 'resolved' })
  assert.deepEqual(replies, ['m-9', 'm-1'])
})
