import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Post } from '../../src/outbound/provider-client.ts'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { channelOf, forever, messageOf } from './setup.ts'

let provider: Provider
before(async () => {
  provider = await startProvider('officechat')
})
after(() => provider.close())

/** The body that goes to an address on the internet. */
async function bodyFor(keys: object, target?: string): Promise<object> {
  let body: unknown
  const remember: Post = async ({ json }) => {
    body = json
    return { status: 202, headers: {}, body: '' }
  }
  const channel = channelOf('officechat', keys, { post: remember })
  await channel.send(messageOf({ text: 'down', ...(target ? { target } : {}) }), forever)
  return body as object
}

const TRIGGER = '/workflows/0a/triggers/manual/paths/invoke?sig=signature'

test('the address decides the form of the body', async () => {
  const wants = async (flow_url: string) => Object.keys(await bodyFor({ flow_url }))[0]
  assert.equal(await wants(`https://prod-01.westeurope.logic.azure.com:443${TRIGGER}`), 'message')
  assert.equal(await wants(`https://default0a.b1.environment.api.powerplatform.com${TRIGGER}`), 'message')
  assert.equal(await wants('https://contoso.webhook.office.com/webhookb2/0a@0b/IncomingWebhook/0c/0d'), 'text')
  assert.equal(await wants('https://prod-01.westeurope.logic.azure.com/connector/0a'), 'text')
  assert.equal(await wants('https://webhook.office.com.example.test/webhookb2/0a'), 'message')
})

test('a format of the channel or of one destination overrides the address', async () => {
  const keys = {
    flow_url: 'https://example.test/flow/one',
    format: 'text',
    other_flow_urls: { plain: 'https://example.test/two', card: 'https://example.test/three' },
    other_flow_formats: { card: 'adaptive_card' },
  }
  assert.deepEqual(await bodyFor(keys), { text: 'down' })
  assert.deepEqual(await bodyFor(keys, 'plain'), { text: 'down' })
  assert.deepEqual(await bodyFor(keys, 'card'), {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ type: 'TextBlock', text: 'down', wrap: true }],
          msteams: { width: 'Full' },
        },
      },
    ],
  })
})

test('an address is used as it is written, signature and all', async () => {
  const channel = channelOf('officechat', { flow_url: `${provider.url}${TRIGGER}%2F%3D` })
  assert.deepEqual(await channel.send(messageOf({ text: 'down' }), forever), { kind: 'sent' })
  assert.equal(provider.requests.at(-1)?.url, `${TRIGGER}%2F%3D`)
  assert.deepEqual(provider.requests.at(-1)?.json, { message: 'down' })
})

test("the id of the flow's run is kept as the id of the message", async () => {
  const channel = channelOf('officechat', { flow_url: `${provider.url}${TRIGGER}` })
  provider.next({ status: 202, headers: { 'x-ms-workflow-run-id': '0858' } })
  assert.deepEqual(await channel.send(messageOf(), forever), { kind: 'sent', messageId: '0858' })
})
