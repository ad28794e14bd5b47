import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import type { Channel } from '../../src/channels/channel.ts'
import type { Message } from '../../src/domain/delivery/message.ts'
import { type Provider, type Received, startProvider } from '../../src/simulator/index.ts'
import { channelOf, forever, keysFor, messageOf, SECRETS } from './setup.ts'

const login = { user: 'bell@example.test', pass: SECRETS.email }
let provider: Provider
let channel: Channel
before(async () => {
  provider = await startProvider('email', { login })
  channel = channelWith({ from: 'The Bell <bell@mail.example.test>', to: ['a@example.test', 'B <b@example.test>'] })
})
after(async () => {
  await channel.close?.()
  await provider.close()
})

const channelWith = (over: object) => channelOf('email', { ...keysFor('email', provider), ...over })

async function mailOf(over: Partial<Message>, from = channel): Promise<Received> {
  const outcome = await from.send(messageOf(over), forever)
  assert.equal(outcome.kind, 'sent', JSON.stringify(outcome))
  const mail = provider.requests.at(-1)
  assert.ok(mail)
  return mail
}

test('the mail is addressed, marked as automatic and known by its incident', async () => {
  const { headers, recipients } = await mailOf({})
  assert.deepEqual(recipients, ['a@example.test', 'b@example.test'])
  assert.equal(headers.from, 'The Bell <bell@mail.example.test>')
  assert.equal(headers['auto-submitted'], 'auto-generated')
  assert.equal(headers['message-id'], `<${messageOf().incidentId}@mail.example.test>`)
})

test('the mail of a resolved incident answers that of the firing one', async () => {
  const fired = await channel.send(messageOf(), forever)
  const inReplyTo = (fired.kind === 'sent' && fired.messageId) || ''
  const { headers } = await mailOf({ incidentId: 'another', status: 'resolved', inReplyTo })
  assert.deepEqual([headers['in-reply-to'], headers.references], [inReplyTo, inReplyTo])
  assert.notEqual(headers['message-id'], inReplyTo)
})

test('the subject comes from the template, else from the configuration, else from the title, and is one line', async () => {
  const titled = (await mailOf({ status: 'resolved' })).headers.subject
  assert.equal(titled, 'Resolved: Checkout is slow')
  const forged = await mailOf({ subject: 'bell\r\nBcc: evil@example.test' })
  assert.deepEqual([forged.headers.subject, forged.headers.bcc], ['bell Bcc: evil@example.test', undefined])
  const configured = channelWith({ subject: 'An incident' })
  assert.equal((await mailOf({}, configured)).headers.subject, 'An incident')
  assert.equal((await mailOf({ subject: 'Mine' }, configured)).headers.subject, 'Mine')
  await configured.close?.()
})

test('a text without tags is a plain mail with its entities decoded', async () => {
  const { body } = await mailOf({ text: 'load &gt; 5 &amp;&amp; name = &lt;b&gt;x&lt;/b&gt; from <ops@example.test>' })
  assert.match(body, /load > 5 && name =(=20)?\s*(=\r\n)?\s*<b>x<\/b> from <ops@example\.test>/)
  assert.doesNotMatch(body, /text\/html/i)
})

test('a text with tags is an HTML mail with a plain part', async () => {
  const text = '<style>p{}</style><p>load &gt; 5</p><a href="https://bell.example/1">open</a>'
  const { body } = await mailOf({ text })
  assert.match(body, /multipart\/alternative/)
  assert.match(body, /\r\n\r\nload > 5\r\nopen \(https:\/\/bell\.example\/1\)\r\n/)
  assert.match(body, /<p>load &gt; 5<\/p>/)
})

test('refused recipients are noted when others took the mail', async () => {
  provider.next({ stage: 'rcpt', recipients: ['b@example.test'], status: 550, body: '5.1.1 no such user' })
  const outcome = await channel.send(messageOf(), forever)
  assert.match(
    outcome.kind === 'sent' ? (outcome.note ?? '') : '',
    /^refused for b@example\.test \(550 5\.1\.1 no such user\)$/,
  )
})

test('a wrong login is final, and the password is not repeated though the server does', async () => {
  const wrong = channelWith({ password: 'not-the-password' })
  const outcome = await wrong.send(messageOf(), forever)
  await wrong.close?.()
  assert.equal(outcome.kind, 'failed')
  assert.match(outcome.kind === 'failed' ? outcome.reason : '', /535 no login bell@example\.test with \[redacted\]/)
})

test('a server without TLS gets no mail when TLS is required', async () => {
  const strict = channelWith({ tls: 'require' })
  const before = provider.requests.length
  const outcome = await strict.send(messageOf(), forever)
  await strict.close?.()
  assert.equal(outcome.kind, 'failed')
  assert.equal(provider.requests.length, before)
})

test('a server that never greets is given up at the deadline', async () => {
  const mute = createServer((socket) => socket.on('error', () => {}))
  mute.listen(0, '127.0.0.1')
  await once(mute, 'listening')
  const patient = channelWith({ smtp_port: (mute.address() as AddressInfo).port })
  const deadline = new AbortController()
  const sent = patient.send(messageOf(), deadline.signal)
  const [socket] = await once(mute, 'connection')
  deadline.abort()
  assert.equal((await sent).kind, 'retry')
  socket.destroy()
  await patient.close?.()
  await new Promise((resolve) => mute.close(resolve))
})

test('a mail goes to the recipients that are named, and not to a name that is not configured', async () => {
  const named = channelWith({ other_recipients: { team: ['c@example.test', 'd@example.test'], one: 'e@example.test' } })
  assert.deepEqual((await mailOf({ target: 'team' }, named)).recipients, ['c@example.test', 'd@example.test'])
  assert.deepEqual((await mailOf({ target: 'one' }, named)).recipients, ['e@example.test'])
  assert.deepEqual((await mailOf({}, named)).recipients, ['oncall@example.test'])
  assert.deepEqual(await named.send(messageOf({ target: 'gone' }), forever), {
    kind: 'failed',
    reason: 'no other destination is named "gone"',
  })
  assert.equal(named.destination(messageOf({ target: 'team' })), 'team')
  await named.close?.()
})
