import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SENT, setup } from './sender-rig.ts'

test('a dispatch that edits goes to the edit of its channel, and the outcome is settled as of a message', async () => {
  const edits: [string, string][] = []
  const sender = setup({
    edit: async ({ incidentId }, messageId) => {
      edits.push([incidentId, messageId])
      return { kind: 'sent', messageId }
    },
  })
  await sender.deliverEdit('m-1', 1)
  assert.deepEqual([edits, sender.sent], [[['1', 'm-1']], []])
  assert.equal(sender.settled()[0]?.attempt?.messageId, 'm-1')
})

test('an edit of a message that is gone is pending at once, and its attempt says so', async () => {
  const withEdit = setup({ edit: async () => ({ kind: 'gone', reason: 'message_not_found' }) })
  const without = setup({})
  for (const sender of [withEdit, without]) {
    await sender.deliverEdit('m-1', 1)
    const [settlement] = sender.settled()
    assert.deepEqual(settlement?.verdict, { state: 'pending', at: sender.clock.now() })
    assert.equal(settlement?.attempt?.outcome, 'gone')
    assert.equal(settlement?.attempt?.mayDuplicate, false)
  }
})

test('messages and edits share the rate of their destination', async () => {
  const sender = setup({ rate: { perSecond: 1, burst: 2 }, edit: async () => SENT })
  await sender.deliver(1)
  await sender.deliverEdit('m-1', 2)
  await sender.deliver(3)
  assert.deepEqual(sender.verdicts(), [
    [1, 'sent'],
    [2, 'sent'],
  ])
  sender.clock.advance(1_000)
  await sender.pass()
  assert.deepEqual(sender.verdicts(), [[3, 'sent']])
})
