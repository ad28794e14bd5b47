import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Channel } from '../../src/channels/channel.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import { CHANNEL_NAMES, type ChannelName, type Outcome } from '../../src/domain/delivery/delivery.ts'
import type { Message } from '../../src/domain/delivery/message.ts'
import { type Provider, type Reply, startProvider } from '../../src/simulator/index.ts'
import { FAULTS } from '../harness/stand-ins/faults.ts'
import { channelOf, forever, keysFor, messageOf, SECRETS } from './setup.ts'

const KINDS = ['chatws', 'msgapp'] as const
type Kind = (typeof KINDS)[number]

const chatError = (error: string): Reply => ({ body: { ok: false, error } })
const refused = (description: string): Reply => ({
  status: 400,
  body: { ok: false, error_code: 400, description: `Bad Request: ${description}` },
})

/** Answers after which a message can only be sent anew, by the words of the provider. */
const GONE: { readonly [kind in Kind]: { readonly [words: string]: Reply } } = {
  chatws: Object.fromEntries(
    ['message_not_found', 'cant_update_message', 'edit_window_closed', 'channel_not_found'].map((error) => [
      error,
      chatError(error),
    ]),
  ),
  msgapp: Object.fromEntries(
    ['message to edit not found', "message can't be edited", 'MESSAGE_ID_INVALID'].map((words) => [
      words,
      refused(words),
    ]),
  ),
}

for (const kind of KINDS) describe(`${kind}: edits`, () => contract(kind))

function contract(kind: Kind): void {
  let provider: Provider
  let channel: Channel
  before(async () => {
    provider = await startProvider(kind)
    channel = channelOf(kind, keysFor(kind, provider))
  })
  after(async () => {
    await channel.close?.()
    await provider.close()
  })

  async function sent(over: Partial<Message> = {}): Promise<string> {
    const outcome = await channel.send(messageOf(over), forever)
    return (outcome.kind === 'sent' && outcome.messageId) || assert.fail(JSON.stringify(outcome))
  }
  async function edited(messageId: string, over: Partial<Message> = {}, signal = forever): Promise<Outcome> {
    return (await channel.edit?.(messageOf(over), messageId, signal)) ?? assert.fail('the channel cannot edit')
  }
  async function answered(reply: Reply): Promise<Outcome> {
    const messageId = await sent()
    provider.next(reply)
    const outcome = await edited(messageId, { text: `another text ${provider.requests.length}` })
    if (outcome.kind !== 'sent') assert.ok(!outcome.reason.includes(SECRETS[kind]), outcome.reason)
    return outcome
  }
  function assertPasses(outcome: Outcome): void {
    assert.equal(outcome.kind, 'retry', JSON.stringify(outcome))
    assert.ok(outcome.kind === 'retry' && outcome.mayDuplicate !== true)
  }

  it('the text of a message is replaced, and its id stays', async () => {
    const messageId = await sent({ text: 'one' })
    const { posts, edits } = provider
    assert.deepEqual(await edited(messageId, { text: 'two' }), { kind: 'sent', messageId })
    assert.deepEqual(await edited(messageId, { text: 'three' }), { kind: 'sent', messageId })
    const last = provider.messages.at(-1)
    assert.deepEqual([last?.edits, provider.posts - posts, provider.edits - edits], [2, 0, 2])
    assert.match(last?.text ?? '', /three/)
  })

  it('the same edit twice is sent both times', async () => {
    const messageId = await sent()
    for (let time = 1; time <= 2; time++)
      assert.deepEqual(await edited(messageId, { text: 'same' }), { kind: 'sent', messageId })
  })

  it('a message at another destination is edited there', async () => {
    const messageId = await sent({ target: 'night' })
    assert.equal((await edited(messageId, { target: 'night', text: 'edited at night' })).kind, 'sent')
    assert.match(provider.messages.at(-1)?.text ?? '', /edited at night/)
    const unknown = await edited(messageId, { target: 'constructor' })
    assert.equal(unknown.kind, 'failed')
  })

  it('a reply names the message it answers', async () => {
    const answer = await sent({ status: 'resolved', inReplyTo: await sent() })
    assert.equal((await edited(answer, { status: 'resolved', text: 'edited answer' })).kind, 'sent')
  })

  it('a message that the provider does not know is gone', async () => {
    const unknown = kind === 'chatws' ? 'CMAINPLACE/1700000000.999999' : '999999'
    assert.equal((await edited(unknown)).kind, 'gone')
    assert.equal((await edited('no id of this provider')).kind, 'gone')
  })

  for (const [words, reply] of Object.entries(GONE[kind]))
    it(`the message is gone after ${words}`, async () => {
      const outcome = await answered(reply)
      assert.ok(outcome.kind === 'gone' && outcome.reason.endsWith(words), JSON.stringify(outcome))
    })

  const { passing, final, garbage, limited } = FAULTS[kind]
  for (const [name, reply] of Object.entries({ ...passing, ...garbage, 'a cut connection': { reset: true } }))
    it(`tries again after ${name}, without a duplicate`, async () => assertPasses(await answered(reply)))

  for (const [name, reply] of Object.entries(final))
    if (!(name in GONE[kind]))
      it(`gives up after ${name}`, async () => assert.equal((await answered(reply)).kind, 'failed'))

  it('tries again after the delay that the provider named', async () => {
    const outcome = await answered(limited?.(7) ?? {})
    assert.equal(outcome.kind === 'retry' && outcome.afterMs, 7_000)
  })

  it('ends at the deadline, without a duplicate', async () => {
    const messageId = await sent()
    provider.next({ hang: true })
    const deadline = new AbortController()
    const outcome = edited(messageId, { text: 'never answered' }, deadline.signal)
    await provider.waitFor(({ text }) => text.includes('never answered'))
    deadline.abort()
    assertPasses(await outcome)
  })
}

it('a chat message that was stored without its channel is edited in the configured one', async (t) => {
  const provider = await startProvider('chatws')
  const channel = channelOf('chatws', { ...keysFor('chatws', provider), channel_id: 'C07' })
  t.after(() => provider.close())
  await channel.send(messageOf(), forever)
  assert.equal((await channel.edit?.(messageOf({ text: 'edited' }), '1700000000.000001', forever))?.kind, 'sent')
  assert.deepEqual([provider.posts, provider.edits], [1, 1])
})

it('an edit that the provider cannot parse goes out once more as plain text', async (t) => {
  const provider = await startProvider('msgapp')
  const channel = channelOf('msgapp', keysFor('msgapp', provider))
  t.after(() => provider.close())
  await channel.send(messageOf(), forever)
  provider.next(refused("can't parse entities: unsupported start tag"))
  const outcome = await channel.edit?.(messageOf({ text: '<b>5 &lt; 6 <x</b>' }), '1', forever)
  assert.match(outcome?.kind === 'sent' ? (outcome.note ?? '') : '', /plain text/)
  assert.equal(provider.messages[0]?.text, 'main-place\n5 < 6 <x')
})

it('channels can edit exactly when their kind says so', () => {
  const keys = (name: ChannelName) => (name === 'console' ? {} : keysFor(name, { url: 'http://127.0.0.1:9', port: 9 }))
  for (const name of CHANNEL_NAMES)
    assert.equal(channelOf(name, keys(name)).edit !== undefined, CHANNELS[name].edits === true, name)
})
