import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Channel } from '../../src/channels/channel.ts'
import type { Message } from '../../src/domain/delivery/message.ts'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { channelOf, forever, keysFor, messageOf } from './setup.ts'

let provider: Provider
let channel: Channel
before(async () => {
  provider = await startProvider('chatws')
  channel = channelOf('chatws', { ...keysFor('chatws', provider), button_text: 'I am on it' })
})
after(() => provider.close())

interface Body {
  readonly channel: string
  readonly text: string
  readonly thread_ts?: string
  readonly reply_broadcast?: boolean
  readonly attachments: readonly [{ readonly color: string; readonly blocks: readonly Block[] }]
}
interface Block {
  readonly type: string
  readonly text?: { readonly type: string; readonly text: string; readonly verbatim?: boolean }
  readonly elements?: readonly object[]
}

async function bodyOf(over: Partial<Message>): Promise<Body> {
  assert.equal((await channel.send(messageOf(over), forever)).kind, 'sent')
  return provider.requests.at(-1)?.json as Body
}

test('a short message is one section in the colour of its status, with the title as the push notification', async () => {
  const body = await bodyOf({ text: '*Checkout* is slow' })
  assert.deepEqual(body, {
    channel: 'main-place',
    text: 'Checkout is slow',
    attachments: [
      { color: '#C70039', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Checkout* is slow' } }] },
    ],
  })
  assert.equal(provider.requests.at(-1)?.headers.authorization, 'Bearer xoxb-contract-token')
  assert.equal((await bodyOf({ status: 'resolved' })).attachments[0].color, '#36A64F')
})

test('a title mentions nobody, whatever the payload says', async () => {
  assert.equal((await bodyOf({ title: '<!channel> R&D' })).text, '&lt;!channel&gt; R&amp;D')
})

test('what only looks like a mention in a text is sent by the letter, a bare address in another stays a link', async () => {
  const sections = async (text: string) =>
    (await bodyOf({ text })).attachments[0].blocks.map(({ text }) => text?.verbatim)
  for (const text of ['@here', 'page @channel', '(@everyone)', 'log:\n@sre-team', '<!here> and @here'])
    assert.deepEqual(await sections(text), [true], text)
  for (const text of ['<!here>', '<@U1>', 'ops@example.test', 'see https://example.test/@x?', '5 @ 7'])
    assert.deepEqual(await sections(text), [text.includes('/@') ? true : undefined], text)
})

test('a firing message with an acknowledge link has a button, a resolved one has none', async () => {
  const ackUrl = 'https://bell.example/api/ack/1?sig=x'
  const { blocks } = (await bodyOf({ ackUrl })).attachments[0]
  assert.deepEqual(blocks.at(-1), {
    type: 'actions',
    elements: [
      {
        type: 'button',
        text: { type: 'plain_text', text: 'I am on it' },
        url: ackUrl,
        style: 'primary',
        action_id: 'acknowledge',
        value: messageOf().incidentId,
      },
    ],
  })
  assert.equal((await bodyOf({ ackUrl, status: 'resolved' })).attachments[0].blocks.length, 1)
})

test('a resolved message answers the firing one, and the channel sees it', async () => {
  const body = await bodyOf({ status: 'resolved', inReplyTo: '1700000000.000001' })
  assert.deepEqual([body.thread_ts, body.reply_broadcast], ['1700000000.000001', true])
})

test('the longest text fits in sections that the provider takes', async () => {
  const { blocks } = (await bodyOf({ text: `${'a line of the log\n'.repeat(1_000)}`.slice(0, 12_000) })).attachments[0]
  const lengths = blocks.map(({ text }) => text?.text.length ?? 0)
  assert.ok(blocks.length <= 50 && Math.max(...lengths) <= 3_000)
  assert.equal(
    lengths.reduce((sum, length) => sum + length),
    12_000,
  )
})

test('an error in the body of a 200 may name a time in a header', async () => {
  provider.next({ status: 200, headers: { 'retry-after': '4' }, body: { ok: false, error: 'ratelimited' } })
  const outcome = await channel.send(messageOf(), forever)
  assert.deepEqual(outcome, { kind: 'retry', reason: 'ratelimited', afterMs: 4_000 })
})

const buttons = [
  { action: 'acknowledge', label: 'Acknowledge', token: '1a.iAZNqHwAAcACAAAAAAAAAAQ.mac' },
  { action: 'resolve', label: 'Resolve', token: '1r.iAZNqHwAAcACAAAAAAAAAAQ.mac' },
  { action: 'silence', label: 'Silence 1 h', token: '1s60.iAZNqHwAAcACAAAAAAAAAAQ.mac' },
] as const

test('buttons of a message carry their tokens; those that cannot be undone ask first', async () => {
  const { blocks } = (await bodyOf({ buttons })).attachments[0]
  const plain = (text: string) => ({ type: 'plain_text', text })
  const button = (at: number, action_id: string, more: object) => ({
    type: 'button',
    text: plain(buttons[at]?.label ?? ''),
    action_id,
    value: buttons[at]?.token,
    ...more,
  })
  const confirm = {
    title: plain('Resolve'),
    text: plain('The problem counts as resolved for everybody.'),
    confirm: plain('Resolve'),
    deny: plain('Cancel'),
  }
  assert.deepEqual(blocks.at(-1), {
    type: 'actions',
    block_id: 'tocsin',
    elements: [
      button(0, 'tocsin.a', { style: 'primary' }),
      button(1, 'tocsin.r', { confirm }),
      button(2, 'tocsin.s60', {}),
    ],
  })
})

test('below the buttons a line leads to the browser; without buttons an answered message has neither', async () => {
  const ackUrl = 'https://bell.example/api/ack/1?sig=x'
  const { blocks } = (await bodyOf({ buttons, ackUrl })).attachments[0]
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['section', 'actions', 'context'],
  )
  assert.match(JSON.stringify(blocks.at(-1)), /<https:\/\/bell\.example\/api\/ack\/1\?sig=x\|/)
  assert.equal((await bodyOf({ buttons: [], ackUrl })).attachments[0].blocks.length, 1)
})
