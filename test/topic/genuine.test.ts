import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, payloadsOf } from '../http/harness.ts'
import { derOf, issue } from './authority.ts'
import { confirmation, HOST, notification, signed } from './messages.ts'
import { certificatesAsked, setup } from './setup.ts'

for (const SignatureVersion of ['1', '2']) {
  test(`a notification with signature version ${SignatureVersion} becomes an incident, byte for byte`, async (t) => {
    const { send, sign, intakes, shown } = await setup(t)
    const Message = '{"ServiceName" :"größe",\n"Logs":"\\u0041"}'
    const attributes = { region: { Type: 'String', Value: 'north' }, odd: { Type: 1 }, none: null }
    const message = notification({ SignatureVersion, Message, Subject: 'über', MessageAttributes: attributes })
    const answer = await send(sign(message))
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, { status: 'Incident created' }])
    const [intake] = intakes
    assert.deepEqual(intake?.texts, [Message])
    assert.equal(intake?.source, 'topic')
    assert.deepEqual(shown, [JSON.stringify(JSON.parse(Message))])
    assert.deepEqual(intake?.origin, {
      message_id: message.MessageId,
      topic_arn: message.TopicArn,
      subject: 'über',
      published_at: message.Timestamp,
      attributes: { region: { type: 'String', value: 'north' } },
    })
  })
}

test('an array of objects becomes as many incidents; anything else that is no object is kept as text', async (t) => {
  const { send, sign, intakes } = await setup(t)
  const deep = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`
  const said: readonly [Message: string, contents: unknown][] = [
    ['[{"n":1},{"n":2}]', [{ n: 1 }, { n: 2 }]],
    ['the tray is empty', [{ message: 'the tray is empty', subject: 'printer' }]],
    ...['42', 'null', '"text"', '[]', '[{"n":1},2]', '{"n":', deep].map((text): [string, unknown] => [
      text,
      [{ message: text, subject: 'printer' }],
    ]),
  ]
  for (const [Message, wanted] of said) {
    assert.equal((await send(sign(notification({ Message, Subject: 'printer' })))).status, 200, Message)
    assert.deepEqual(intakes.slice(-1).flatMap(payloadsOf), wanted)
  }
  await send(sign(notification({ Message: 'no subject' })))
  assert.deepEqual(intakes.slice(-1).flatMap(payloadsOf), [{ message: 'no subject' }])
})

test('the query of the subscribed address chooses among configured names, and a wrong name is refused', async (t) => {
  const { send, sign, intakes } = await setup(t)
  assert.equal((await send(sign(notification()), {}, '?chatws_other_channel_id=night')).status, 200)
  assert.deepEqual(intakes[0]?.overrides, { targets: { chatws: 'night' } })
  const wrong = await send(sign(notification()), {}, '?chatws_other_channel_id=day')
  assert.equal(wrong.status, 400)
  assert.match(errorOf(wrong), /known: night/)
  assert.equal(intakes.length, 1)
})

test('a confirmation visits its address once, however often it is sent', async (t) => {
  const { send, sign, net, log } = await setup(t)
  const message = sign(confirmation())
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(message)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  assert.equal((await send(message)).status, 200)
  assert.equal(net.asked.filter(({ url }) => url.includes('ConfirmSubscription')).length, 1)
  assert.deepEqual(log.lines, [])
})

test('the end of the subscription is logged, and the topic is subscribed again', async (t) => {
  const { send, sign, net, log } = await setup(t)
  assert.equal((await send(sign(confirmation({ Type: 'UnsubscribeConfirmation' })))).status, 200)
  assert.equal(net.asked.filter(({ url }) => url.includes('ConfirmSubscription')).length, 1)
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn'],
  )
})

test('a confirmation that fails is tried again with the next message', async (t) => {
  const { send, sign, net } = await setup(t)
  const { answer } = net
  net.answer = (asked) => (asked.url.endsWith('.pem') ? answer(asked) : { status: 500 })
  const message = sign(confirmation())
  const failed = await send(message)
  assert.equal(failed.status, 503)
  assert.ok(failed.headers['retry-after'])
  net.answer = answer
  assert.equal((await send(message)).status, 200)
})

test('fifty messages at once fetch the certificate once', async (t) => {
  const { send, sign, net, intakes } = await setup(t)
  const messages = Array.from({ length: 50 }, () => sign(notification()))
  const answers = await Promise.all(messages.map((message) => send(message)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(intakes.length, 50)
  assert.equal(certificatesAsked(net), 1)
})

test('an issuer that is not in the bundle is fetched from the address in the certificate', async (t) => {
  const { send, net, intakes } = await setup(t)
  const issuerAddress = 'http://crt.r2m01.amazontrust.com/r2m01.cer'
  const issuer = issue({ cn: 'Issuer in between', issuer: net.root })
  const signer = issue({ cn: 'a', hosts: ['sns-signing.eu-north-1.amazonaws.com'], issuer, issuerAddress })
  net.answer = ({ host, url }) => {
    if (url.endsWith('.cer')) return { body: derOf(issuer) }
    return host === HOST ? { body: signer.pem } : undefined
  }
  assert.equal((await send(signed(notification(), signer))).status, 200)
  assert.equal(intakes.length, 1)
  assert.ok(net.asked.some(({ host }) => host === 'crt.r2m01.amazontrust.com'))
})

test('when an issuer cannot be fetched, the topic has to send again', async (t) => {
  const { send, net, log } = await setup(t)
  const issuer = issue({ cn: 'Issuer in between', issuer: net.root })
  const issuerAddress = 'http://crt.r2m01.amazontrust.com/r2m01.cer'
  const signer = issue({ cn: 'a', hosts: ['sns.amazonaws.com'], issuer, issuerAddress })
  net.answer = ({ host }) => (host === HOST ? { body: signer.pem } : { status: 403 })
  const message = signed(notification(), signer)
  assert.equal((await send(message)).status, 503)
  assert.match(String(log.lines[0]?.why), /crt\.r2m01\.amazontrust\.com.*HTTP 403.*NODE_EXTRA_CA_CERTS/)
  net.answer = ({ host }) => ({ body: host === HOST ? signer.pem : derOf(issuer) })
  assert.equal((await send(message)).status, 200)
})

test('an issuer in the bundle is not fetched', async (t) => {
  const { send, net } = await setup(t)
  const issuer = issue({ cn: 'Issuer in between', issuer: net.root })
  const signer = issue({ cn: 'a', hosts: ['sns.amazonaws.com'], issuer })
  net.answer = () => ({ body: signer.pem + issuer.pem })
  assert.equal((await send(signed(notification(), signer))).status, 200)
  assert.equal(net.asked.length, 1)
})

test('raw messages are accepted when the configuration allows them', async (t) => {
  const { send, intakes, net } = await setup(t, { rawDelivery: true })
  const headers = {
    'x-amz-sns-rawdelivery': 'true',
    'x-amz-sns-message-type': 'Notification',
    'x-amz-sns-message-id': 'raw-1',
    'x-amz-sns-topic-arn': String(notification().TopicArn),
  }
  assert.equal((await send('{"ServiceName":"raw"}', headers)).status, 200)
  assert.equal((await send('plain', headers)).status, 200)
  assert.deepEqual(intakes.flatMap(payloadsOf), [{ ServiceName: 'raw' }, { message: 'plain' }])
  assert.equal((await send('x', { ...headers, 'x-amz-sns-topic-arn': 'another' })).status, 400)
  assert.equal((await send('x', { ...headers, 'x-amz-sns-message-id': 'a b' })).status, 400)
  assert.deepEqual(net.asked, [])
})
