import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Channel } from '../../src/channels/channel.ts'
import { type Provider, type Reply, startProvider } from '../../src/simulator/index.ts'
import { channelOf, forever, keysFor, messageOf } from './setup.ts'

let provider: Provider
let channel: Channel
before(async () => {
  provider = await startProvider('msgapp')
})
beforeEach(() => {
  channel = channelOf('msgapp', keysFor('msgapp', provider))
})
after(() => provider.close())

const refused = (description: string, parameters?: object): Reply => ({
  status: 400,
  body: { ok: false, error_code: 400, description, parameters },
})
const UNPARSABLE = refused('Bad Request: can\'t parse entities: unsupported start tag "x" at byte offset 3')
const MOVED = refused('Bad Request: group chat was upgraded to a supergroup chat', {
  migrate_to_chat_id: -1009988776655,
})

const bodies = (last: number) => provider.requests.slice(-last).map(({ json }) => json)

test('sends HTML, as an answer to the message of the firing incident', async () => {
  await channel.send(messageOf({ text: '<b>down</b>', inReplyTo: '17' }), forever)
  assert.equal(provider.requests.at(-1)?.path, '/bot770011:contract-token/sendMessage')
  const reply_parameters = { message_id: 17, allow_sending_without_reply: true }
  assert.deepEqual(bodies(1), [{ chat_id: 'main-place', text: '<b>down</b>', parse_mode: 'HTML', reply_parameters }])
})

test('markup that the provider cannot parse goes out once more as plain text, and the note says so', async () => {
  provider.next(UNPARSABLE)
  const outcome = await channel.send(messageOf({ text: '<b>5 &lt; 6 &amp; <x</b>' }), forever)
  assert.deepEqual(bodies(1), [{ chat_id: 'main-place', text: '5 < 6 & <x' }])
  assert.match(outcome.kind === 'sent' ? (outcome.note ?? '') : '', /plain text: Bad Request: can't parse entities/)
})

test('plain text is within the limit although its markup could not be parsed', async () => {
  provider.next(UNPARSABLE)
  await channel.send(messageOf({ text: `<${'x'.repeat(5_000)}` }), forever)
  assert.equal((bodies(1)[0] as { text: string }).text.length, 4_096)
})

test('a chat that moved is followed at once and from then on, and the note says so', async () => {
  provider.next(MOVED)
  const first = await channel.send(messageOf(), forever)
  const second = await channel.send(messageOf(), forever)
  assert.deepEqual(
    bodies(3).map((body) => (body as { chat_id: string }).chat_id),
    ['main-place', '-1009988776655', '-1009988776655'],
  )
  for (const outcome of [first, second])
    assert.match(outcome.kind === 'sent' ? (outcome.note ?? '') : '', /main-place moved to -1009988776655/)
})

test('a provider that keeps refusing is asked three times, then the attempt fails', async () => {
  const before = provider.requests.length
  provider.next(MOVED, UNPARSABLE, MOVED)
  assert.equal((await channel.send(messageOf(), forever)).kind, 'failed')
  assert.equal(provider.requests.length - before, 3)
})

test('the code in the body counts where the status is 200', async () => {
  provider.next({
    body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 3 } },
  })
  const outcome = await channel.send(messageOf(), forever)
  assert.deepEqual(outcome, { kind: 'retry', reason: 'HTTP 429: Too Many Requests', afterMs: 3_000 })
})

const buttons = [
  { action: 'acknowledge', label: 'Acknowledge', token: '1a.iAZNqHwAAcACAAAAAAAAAAQ.mac' },
  { action: 'resolve', label: 'Resolve', token: '1r.iAZNqHwAAcACAAAAAAAAAAQ.mac' },
  { action: 'silence', label: 'Silence 1 h', token: '1s60.iAZNqHwAAcACAAAAAAAAAAQ.mac' },
] as const
const reply_markup = {
  inline_keyboard: [
    [
      { text: 'Acknowledge', callback_data: buttons[0].token },
      { text: 'Resolve', callback_data: buttons[1].token },
    ],
    [{ text: 'Silence 1 h', callback_data: buttons[2].token }],
  ],
}

test('buttons are rows of two, and an edit carries them too', async () => {
  const sent = await channel.send(messageOf({ text: 'down', buttons }), forever)
  assert.deepEqual(bodies(1), [{ chat_id: 'main-place', text: 'down', parse_mode: 'HTML', reply_markup }])
  const id = (sent.kind === 'sent' && sent.messageId) || assert.fail()
  await channel.edit?.(messageOf({ text: 'still down', buttons }), id, forever)
  const json = { chat_id: 'main-place', text: 'still down', parse_mode: 'HTML', message_id: Number(id) }
  assert.deepEqual(bodies(1), [{ ...json, reply_markup }])
})

test('an edit without buttons removes them, and a message that never had any has no keyboard', async () => {
  const sent = await channel.send(messageOf({ buttons }), forever)
  const id = (sent.kind === 'sent' && sent.messageId) || assert.fail()
  await channel.edit?.(messageOf({ buttons: [] }), id, forever)
  await channel.send(messageOf(), forever)
  for (const body of bodies(2)) assert.ok(!('reply_markup' in (body as object)))
})

test('plain text keeps the buttons, and so does the message in a chat that moved', async () => {
  provider.next(UNPARSABLE, MOVED)
  await channel.send(messageOf({ text: '<x', buttons }), forever)
  const json = { text: '<x', reply_markup }
  assert.deepEqual(bodies(2), [
    { chat_id: 'main-place', ...json },
    { chat_id: '-1009988776655', ...json },
  ])
})
