import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answerKey, tokenOf } from '../../src/answers/token.ts'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { channelOf, forever, keysFor, messageOf, SECRETS } from './setup.ts'

let provider: Provider
before(async () => {
  provider = await startProvider('ntfy')
})
after(() => provider.close())

const publicHost = 'https://tocsin.example.net'
const open = (keys: object = {}) => channelOf('ntfy', { ...keysFor('ntfy', provider), ...keys }, { publicHost })

test('pushes a message with its title, how loud it is, and the page of its incident', async () => {
  const subject = '🔴 CRITICAL Checkout is slow'
  await open().send(messageOf({ text: 'shard 7', subject }), forever)
  const { method, path, headers, json } = provider.requests.at(-1) ?? {}
  assert.deepEqual([method, path, headers?.authorization], ['POST', '/', `Bearer ${SECRETS.ntfy}`])
  assert.deepEqual(json, {
    topic: 'main-place',
    title: subject,
    message: 'shard 7',
    priority: 5,
    click: `${publicHost}/#/incidents/01936a1f-0000-7000-8000-000000000001`,
  })
})

test('a public topic needs no token', async () => {
  await open({ token: '' }).send(messageOf(), forever)
  assert.equal(provider.requests.at(-1)?.headers.authorization, undefined)
})

const sent = async (...over: Parameters<typeof messageOf>) => {
  await open().send(messageOf(...over), forever)
  return provider.requests.at(-1)?.json as { [name: string]: unknown }
}

test('the priority follows the severity; what is resolved makes no sound', async () => {
  const priorities = []
  for (const severity of ['critical', 'high', 'warning', 'info', 'debug', 'odd'])
    priorities.push((await sent({ severity })).priority)
  assert.deepEqual(priorities, [5, 4, 3, 2, 1, 3])
  assert.equal((await sent({ status: 'resolved' })).priority, 2)
})

test('an empty text does not become the word of the server; a digest opens the dashboard', async () => {
  const { message, title } = await sent({ text: '\n' })
  assert.deepEqual([message, title], ['Checkout is slow', 'Checkout is slow'])
  assert.equal((await sent({ incidentId: 'digest-4' })).click, `${publicHost}/`)
})

test('waits an hour when the quota of the day is used up, a minute when it is asked too often', async () => {
  const waits = []
  for (const code of [42908, 42901]) {
    provider.next({ status: 429, body: { code, http: 429, error: 'limit reached' } })
    const outcome = await open().send(messageOf(), forever)
    waits.push(outcome.kind === 'retry' && outcome.afterMs)
  }
  assert.deepEqual(waits, [3_600_000, 60_000])
})

const lastJson = () => provider.requests.at(-1)?.json as { [name: string]: unknown }
const ID = '01936a1f-0000-7000-8000-000000000001'
const SEQUENCE = 'tAZNqHwAAcACAAAAAAAAAAQ'
const buttons = (['Acknowledge', 'Resolve', 'Silence 1 h', 'Silence until resolved'] as const).map((label, at) => ({
  action: 'acknowledge' as const,
  label,
  token: `1${at}.mac`,
}))
const answering = () => open({ answers: { mode: 'http' } })

test('without a mode no message has buttons or a sequence, and none can be edited', async () => {
  const channel = open()
  assert.deepEqual(await channel.send(messageOf({ buttons }), forever), { kind: 'sent' })
  const body = provider.requests.at(-1)?.body
  await channel.send(messageOf(), forever)
  assert.equal(provider.requests.at(-1)?.body, body)
  assert.doesNotMatch(body ?? '', /actions|sequence_id/)
  assert.equal(channel.edit, undefined)
})

test('the first three buttons post their token to the service, in the body alone', async () => {
  const outcome = await answering().send(messageOf({ buttons }), forever)
  assert.deepEqual(outcome, { kind: 'sent', messageId: SEQUENCE })
  const { sequence_id, actions } = lastJson()
  assert.equal(sequence_id, SEQUENCE)
  const url = `${publicHost}/api/answer`
  assert.deepEqual(
    actions,
    buttons
      .slice(0, 3)
      .map(({ label, token: body }) => ({ action: 'http', label, url, method: 'POST', body, clear: true })),
  )
})

test('an edit takes the place of the message, without a sound', async () => {
  const channel = answering()
  const { edits } = provider
  const message = messageOf({ incidentId: ID.replace(/1$/, '2'), text: 'one', buttons })
  const sent = await channel.send(message, forever)
  const id = sent.kind === 'sent' ? (sent.messageId ?? '') : assert.fail(sent.reason)
  assert.deepEqual(await channel.edit?.({ ...message, text: 'two', buttons: [] }, id, forever), {
    kind: 'sent',
    messageId: id,
  })
  const json = lastJson()
  assert.deepEqual([json.message, json.priority, json.sequence_id, json.actions], ['two', 2, id, undefined])
  assert.equal(provider.edits, edits + 1)
  assert.match(provider.messages.at(-1)?.text ?? '', /two/)
})

test('an older server does not repeat the sequence, so its messages are not edited', async () => {
  const channel = answering()
  const older = { status: 200, body: { id: 'push1', event: 'message' } }
  provider.next(older)
  assert.deepEqual(await channel.send(messageOf({ buttons }), forever), { kind: 'sent' })
  provider.next(older)
  assert.equal((await channel.edit?.(messageOf(), SEQUENCE, forever))?.kind, 'gone')
})

test('an edit that met a refusal or no answer is tried again, and never is a second message', async () => {
  const channel = answering()
  for (const reply of [{ status: 503, body: '' }, { status: 200, body: 'a proxy' }, { reset: true }]) {
    provider.next(reply)
    const outcome = await channel.edit?.(messageOf(), SEQUENCE, forever)
    assert.ok(outcome?.kind === 'retry' && outcome.mayDuplicate !== true, JSON.stringify(outcome))
  }
})

test('a reason that repeats the request holds no token of a button', async () => {
  provider.next({ status: 400, body: { code: 40024, error: `invalid request: ${JSON.stringify(buttons)}` } })
  const outcome = await answering().send(messageOf({ buttons }), forever)
  const reason = outcome.kind === 'failed' ? outcome.reason : assert.fail(outcome.kind)
  assert.match(reason, /invalid request/)
  for (const { token } of buttons.slice(0, 3)) assert.ok(!reason.includes(token), reason)
})

test('digests and notices have buttons, and no sequence', async () => {
  await answering().send(messageOf({ incidentId: 'digest-4', buttons }), forever)
  const { actions, sequence_id } = lastJson()
  assert.deepEqual([(actions as object[]).length, sequence_id], [3, undefined])
})

test('the longest text has room for three buttons; where names or addresses leave none, the last buttons are left out', async () => {
  const key = answerKey(new Uint8Array(32))
  const subject = { kind: 'incident', id: ID } as const
  const longest = (name: string) =>
    (['silence', 'end_silence', 'silence_until_resolved'] as const).map((action) => ({
      action,
      label: 'Silence until resolved',
      token: tokenOf(
        key,
        { action, subject, ...(action === 'silence' && { minutes: 43_200 }) },
        { topic: name, expiresAt: 9_999_999_999_999 },
      ),
    }))
  const keys = { ...keysFor('ntfy', provider), topic: 't'.repeat(64), answers: { mode: 'http' } }
  const sent = async (publicHost: string, name: string) => {
    const channel = channelOf('ntfy', keys, { publicHost })
    await channel.send(messageOf({ title: 'x'.repeat(50), text: 'ü'.repeat(1_399), buttons: longest(name) }), forever)
    const actions = (lastJson().actions ?? []) as object[]
    return [Buffer.byteLength(provider.requests.at(-1)?.body ?? '') < 4_096, actions.length]
  }
  assert.deepEqual(await sent('https://tocsin.internal.example.com:8443', 'n'.repeat(64)), [true, 3])
  assert.deepEqual(await sent(`https://tocsin.example.com${'/x'.repeat(40)}`, 'n'.repeat(64)), [true, 2])
  assert.deepEqual(await sent(`https://tocsin.example.com${'/x'.repeat(300)}`, 'night'), [true, 0])
})
