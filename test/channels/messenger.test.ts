import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { channelOf, forever, keysFor, messageOf } from './setup.ts'

let provider: Provider
before(async () => {
  provider = await startProvider('messenger')
})
after(() => provider.close())

const inMode = (mode: string) => channelOf('messenger', { ...keysFor('messenger', provider), mode })

test('posts to a channel as its administrator', async () => {
  await inMode('channel').send(messageOf({ text: 'down' }), forever)
  const { path, headers, json } = provider.requests.at(-1) ?? {}
  assert.deepEqual([path, headers?.['x-viber-auth-token']], ['/pa/post', 'viber-contract-token'])
  assert.deepEqual(json, { from: 'main-place', type: 'text', text: 'down' })
})

test('writes to a person as a bot', async () => {
  await inMode('bot').send(messageOf({ text: 'down' }), forever)
  const { path, json } = provider.requests.at(-1) ?? {}
  assert.equal(path, '/pa/send_message')
  assert.deepEqual(json, { receiver: 'main-place', type: 'text', text: 'down', sender: { name: 'Tocsin' } })
})

test('keeps every digit of the message token', async () => {
  provider.next({ body: '{"status": 0, "message_token": 5741311803571721087}' })
  const outcome = await inMode('bot').send(messageOf(), forever)
  assert.deepEqual(outcome, { kind: 'sent', messageId: '5741311803571721087' })
})
