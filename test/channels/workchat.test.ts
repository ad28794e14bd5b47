import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { channelOf, forever, keysFor, messageOf } from './setup.ts'

let provider: Provider
before(async () => {
  provider = await startProvider('workchat')
})
after(() => provider.close())

function assertSigned(message: unknown, secret: string): void {
  const { timestamp, sign } = message as { readonly timestamp: string; readonly sign: string }
  assert.equal(sign, createHmac('sha256', `${timestamp}\n${secret}`).update('').digest('base64'))
}

test('sends a signed card in the colour of the status', async () => {
  await channelOf('workchat', keysFor('workchat', provider)).send(messageOf({ status: 'resolved' }), forever)
  const { path, json } = provider.requests.at(-1) ?? {}
  assert.equal(path, '/open-apis/bot/v2/hook/lark-contract-token')
  assertSigned(json, 'lark-contract-secret')
  assert.deepEqual((json as { card: object }).card, {
    header: { title: { tag: 'plain_text', content: 'Checkout is slow' }, template: 'green' },
    elements: [{ tag: 'markdown', content: 'Checkout answers slowly on shard 7' }],
  })
})

test('`webhook_url` replaces base address and token, and without a secret nothing is signed', async () => {
  const channel = channelOf('workchat', { webhook_url: `${provider.url}/hook/of-its-own` })
  await channel.send(messageOf(), forever)
  const { path, json } = provider.requests.at(-1) ?? {}
  assert.deepEqual([path, Object.keys(json as object)], ['/hook/of-its-own', ['msg_type', 'card']])
})

test('the older form of success is understood', async () => {
  provider.next({ body: { StatusCode: 0, StatusMessage: 'success' } })
  const channel = channelOf('workchat', keysFor('workchat', provider))
  assert.deepEqual(await channel.send(messageOf(), forever), { kind: 'sent' })
})

test('a card goes to the bot that is named, signed alike, and not to a name that is not configured', async () => {
  const keys = { ...keysFor('workchat', provider), other_webhook_urls: { ops: `${provider.url}/hook/ops` } }
  const channel = channelOf('workchat', keys)
  assert.deepEqual(await channel.send(messageOf({ target: 'ops' }), forever), { kind: 'sent' })
  const { path, json } = provider.requests.at(-1) ?? {}
  assert.equal(path, '/hook/ops')
  assertSigned(json, 'lark-contract-secret')
  assert.equal((await channel.send(messageOf({ target: 'gone' }), forever)).kind, 'failed')
  assert.equal(channel.destination(messageOf({ target: 'ops' })), 'ops')
})
