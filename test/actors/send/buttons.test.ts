import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openButtonsOf } from '../../../actors/send/buttons.ts'
import { channelTransport } from '../../../actors/send/transport.ts'
import type { SendBoot } from '../../../actors/wiring/boot.ts'
import { answerKey, readToken } from '../../../src/answers/token.ts'
import { chatws } from '../../../src/channels/adapters/chatws.ts'
import { msgapp } from '../../../src/channels/adapters/msgapp.ts'
import { CHANNELS } from '../../../src/channels/index.ts'
import type { AnswerState } from '../../../src/domain/answer.ts'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import type { Post } from '../../../src/outbound/provider-client.ts'
import { dispatch } from '../support.ts'

const SECRET = new Uint8Array(32)
const DAY_MS = 24 * 3_600_000
const ID = '019a5c3e-7b2a-7c11-8d4e-00000000002a'
const answers: AnswerState = {
  subject: { kind: 'incident', id: ID },
  phase: 'firing',
  acknowledged: true,
  silenced: false,
  last: { did: 'acknowledged', by: 'Ada', at: 0 },
}
const choices: SendBoot['buttons'] = [{ action: 'acknowledge' }, { action: 'resolve' }]

const bootOf = (...answering: SendBoot['answering']) => ({ answering, buttons: choices }) as SendBoot
const opened = (...answering: SendBoot['answering']) =>
  openButtonsOf(bootOf(...answering), { open: () => SECRET }, () => DAY_MS)

const CHATS = { chatws, msgapp }
type Chat = keyof typeof CHATS

/** Returns the bodies that the channel posts for a dispatch. */
async function bodiesOf(chat: Chat, given: MessageDispatch, buttons = opened()(chat)): Promise<string[]> {
  const bodies: string[] = []
  const post: Post = async ({ json }) => {
    bodies.push(JSON.stringify(json))
    return { status: 200, headers: {}, body: Buffer.from('{"ok":true,"channel":"C0123456","ts":"1.2"}') } as never
  }
  const options = CHANNELS[chat].options.parse({ token: 't', channel_id: 'C0123456' })
  const deps = { post, network: { proxy: '', insecureSkipVerify: false }, print() {}, publicHost: '', now: () => 0 }
  const transport = channelTransport({
    channel: CHATS[chat].create(options as never, deps),
    agentTemplate: '',
    ackUrl: () => 'https://bell.example/api/ack/1',
    render: async (items) => items.map(({ lastLine = '' }) => ({ text: `text${lastLine}`, renderMs: 0 })),
    ...(buttons && { answers: buttons.of }),
  })
  const [prepared] = await transport.prepare([given])
  await transport.send(prepared?.message as never, new AbortController().signal, () => {})
  return bodies
}

for (const [chat, other] of [
  ['chatws', 'msgapp'],
  ['msgapp', 'chatws'],
] as const) {
  test(`${chat}: a channel without a mode sends byte for byte what it sends without answers`, async () => {
    const plain = dispatch(1)
    const before = await bodiesOf(chat, plain)
    assert.equal(before.length, 1)
    assert.deepEqual(await bodiesOf(chat, { ...plain, answers }), before)
    assert.deepEqual(await bodiesOf(chat, { ...plain, answers }, opened(other)(chat)), before)
    assert.deepEqual(await bodiesOf(chat, plain, opened(chat)(chat)), before)
  })

  test(`${chat}: a channel with a mode shows the state of the problem, and the buttons that make sense`, async () => {
    const [body = ''] = await bodiesOf(chat, { ...dispatch(1), answers }, opened(chat)(chat))
    assert.match(body, /text✅ Acknowledged by Ada 1970-01-01 00:00 UTC/)
    const value = /"(?:value|callback_data)":"(1r\.[^"]+)"/.exec(body)?.[1] ?? ''
    assert.deepEqual(readToken(answerKey(SECRET), value)?.order, { action: 'resolve', subject: answers.subject })
    assert.doesNotMatch(body, /"1a\./)
  })
}

test('the key is not asked for while no channel has a mode', () => {
  const open = () => assert.fail('the key was opened')
  assert.equal(openButtonsOf(bootOf(), { open }, () => 0)('chatws'), undefined)
})
