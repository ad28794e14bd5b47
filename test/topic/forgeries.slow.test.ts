import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf } from '../http/harness.ts'
import { type Identity, issue, type Wanted } from './authority.ts'
import type { Served } from './internet.ts'
import { confirmation, type Fields, HOST, notification, signed } from './messages.ts'
import { certificatesAsked, setup, type TopicSetup } from './setup.ts'

const HOUR_MS = 3_600_000
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const CANARY = 'canary-of-the-body'

type Refusal = readonly [code: string, what: string]

/** Asserts the effect of a refusal: 400, one line in the log that quotes nothing, and no incident. */
async function refuses(topic: TopicSetup, message: Fields | string, [code, what]: Refusal): Promise<void> {
  const before = topic.log.lines.length
  const answer = await topic.send(message)
  assert.equal(answer.status, 400, `${what}: ${answer.text}`)
  assert.equal(topic.log.lines.length, before + 1, what)
  const line = topic.log.lines.at(-1)
  assert.deepEqual([line?.level, line?.code], ['warn', code], `${what}: ${line?.why}`)
  assert.ok(!JSON.stringify(line).includes(CANARY), `${what}: ${JSON.stringify(line)}`)
  assert.ok(!answer.text.includes(CANARY), what)
  assert.deepEqual(topic.intakes, [], what)
}

const canary = (fields: Fields = {}) => notification({ Message: CANARY, MessageId: CANARY, ...fields })

test('a message that differs from the signed one is refused', async (t) => {
  const here = await setup(t)
  const good = here.sign(canary({ Subject: 'a subject' }))
  const { Subject: _, ...withoutSubject } = good
  const { Signature: __, ...unsigned } = good
  const stranger = issue({ cn: 'sns.amazonaws.com', hosts: ['sns.amazonaws.com'], issuer: here.net.root })
  const tampered: { readonly [what: string]: Fields } = {
    'a changed message': { ...good, Message: `${CANARY}.` },
    'a changed id': { ...good, MessageId: `${CANARY}-2` },
    'another subject': { ...good, Subject: 'another' },
    'a subject left out': withoutSubject,
    'another time': { ...good, Timestamp: inMs(-1_000) },
    'another type': { ...confirmation(), Signature: good.Signature },
    'the other signature version': { ...good, SignatureVersion: '2' },
    'a signature by another key': signed(canary(), stranger),
  }
  for (const [what, message] of Object.entries(tampered)) await refuses(here, message, ['topic_signature', what])
  await refuses(here, unsigned, ['topic_malformed', 'no signature'])
})

test('messages of other topics, of other times and of other shapes are refused, and nothing is fetched for them', async (t) => {
  const here = await setup(t)
  const refused: readonly (readonly [...Refusal, Fields | string])[] = [
    ['topic_mismatch', 'another topic', here.sign(canary({ TopicArn: 'arn:aws:sns:eu-north-1:123456789012:other' }))],
    ['topic_expired', 'two hours ago', here.sign(canary({ Timestamp: inMs(-2 * HOUR_MS) }))],
    ['topic_expired', 'two hours from now', here.sign(canary({ Timestamp: inMs(2 * HOUR_MS) }))],
    ['topic_malformed', 'no time at all', here.sign(canary({ Timestamp: CANARY }))],
    ['topic_malformed', 'an unknown signature version', here.sign(canary({ SignatureVersion: '3' }))],
    ['topic_malformed', 'an unknown type', here.sign(canary({ Type: CANARY }))],
    ['topic_malformed', 'a message that is no text', { ...here.sign(canary()), Message: { [CANARY]: 1 } }],
    ['topic_malformed', 'an empty signature', { ...here.sign(canary()), Signature: '' }],
    ['body_not_json', 'no JSON', `{"${CANARY}`],
    ['topic_malformed', 'an empty body', ''],
    ['topic_malformed', 'a list', JSON.stringify([here.sign(canary())])],
  ]
  for (const [code, what, message] of refused) await refuses(here, message, [code, what])
  assert.deepEqual(here.net.connects, [])
})

test('certificates at other addresses are refused and not fetched', async (t) => {
  const here = await setup(t)
  const path = '/SimpleNotificationService-1.pem'
  const addresses = [
    `https://elsewhere.test${path}`,
    `https://${HOST}.evil.test${path}`,
    `https://evil.${HOST}${path}`,
    `https://sns.eu-north-1.amazonaws.com.cn${path}`,
    `https://sns.us-east-1.amazonaws.com${path}`,
    `https://sns.s3.amazonaws.com${path}`,
    `http://${HOST}${path}`,
    `https://${HOST}:8443${path}`,
    `https://${HOST}:443${path}`,
    `https://${HOST}@evil.test${path}`,
    `https://user@${HOST}${path}`,
    `https://evil.test\\@${HOST}${path}`,
    `https://${HOST}\t.evil.test${path}`,
    `https://${HOST.toUpperCase()}${path}`,
    ` https://${HOST}${path}`,
    `https://${HOST}${path}?Action=GetEndpointAttributes`,
    `https://${HOST}/?x=${path}`,
    `https://${HOST}/a/../..${path}`,
    `https://${HOST}/%2e%2e${path}`,
    `https://${HOST}${path}#`,
    `https://${HOST}/certificate.txt`,
    `//${HOST}${path}`,
    `https://${HOST.replaceAll('.', '\u3002')}${path}`,
    `https://${HOST.replace('amazonaws', '\uff41mazonaws')}${path}`,
    `https://${HOST}.${path}`,
    `https://${HOST}\u0000.evil.test${path}`,
    `https://${HOST}:0${path}`,
    `https:/${HOST}${path}`,
    `https:\\\\${HOST}${path}`,
    `HTTPS://${HOST}${path}`,
    `https://127.0.0.1${path}#${HOST}`,
    path,
  ]
  for (const SigningCertURL of addresses) {
    here.log.lines.length = 0
    const answer = await here.send(here.sign(canary({ SigningCertURL })))
    assert.equal(answer.status, 400, SigningCertURL)
  }
  assert.deepEqual([here.net.connects, here.intakes], [[], []])
})

test('a SubscribeURL that leads elsewhere is never fetched', async (t) => {
  const here = await setup(t)
  const query = '?Action=ConfirmSubscription&Token=t'
  const addresses = [
    `https://elsewhere.test/${query}`,
    `https://${HOST}.evil.test/${query}`,
    `http://${HOST}/${query}`,
    `https://${HOST}:444/${query}`,
    `https://x@${HOST}/${query}`,
    `https://${HOST}/elsewhere${query}`,
    `https://${HOST}/?a\\b`,
    `https://${HOST}/?a b`,
    `https://${HOST.replaceAll('.', '\u3002')}/${query}`,
    `https://${HOST}%2eevil.test/${query}`,
    `https://evil.test/?https://${HOST}/${query}`,
    `https://${HOST}/?a\u00e9`,
    '',
  ]
  for (const SubscribeURL of addresses)
    await refuses(here, here.sign(confirmation({ SubscribeURL, Message: CANARY })), ['topic_address', SubscribeURL])
  assert.deepEqual(here.net.connects, [])
})

const hosts = ['sns.amazonaws.com']
/** Served with the certificate of its issuer, as far as that can help. */
function together(wanted: Wanted & { readonly issuer: Identity }): Identity {
  const own = issue(wanted)
  return { ...own, pem: own.pem + wanted.issuer.pem }
}

const PRETENDERS: { readonly [what: string]: (net: TopicSetup['net']) => Identity } = {
  'of an untrusted authority': () => together({ cn: 'x', hosts, issuer: issue({ cn: 'Root of another authority' }) }),
  'of an authority that only calls itself like a trusted one': () =>
    together({ cn: 'x', hosts, issuer: issue({ cn: 'Root of the test' }) }),
  'that signed itself': () => issue({ cn: 'x', hosts }),
  'that another leaf issued': ({ root }) =>
    together({ cn: 'x', hosts, issuer: issue({ cn: 'leaf', hosts: ['leaf.test'], issuer: root }) }),
  'of an authority that has expired': ({ root }) =>
    together({ cn: 'x', hosts, issuer: issue({ cn: 'In between', issuer: root, validTo: -0.5 }) }),
  'made out to another name': ({ root }) => issue({ cn: 'x', hosts: ['sns.amazonaws.com.evil.test'], issuer: root }),
  'made out to all names': ({ root }) => issue({ cn: 'x', hosts: ['*.amazonaws.com'], issuer: root }),
  'of another region': ({ root }) => issue({ cn: 'x', hosts: ['sns-signing.af-south-1.amazonaws.com'], issuer: root }),
  'that has expired': ({ root }) => issue({ cn: 'x', hosts, issuer: root, validFrom: -9, validTo: -1 }),
  'that is not valid yet': ({ root }) => issue({ cn: 'x', hosts, issuer: root, validFrom: 1 }),
  'with a short key': ({ root }) => issue({ cn: 'x', hosts, issuer: root, bits: 1_024 }),
  'of an authority itself': ({ root }) => issue({ cn: 'sns.amazonaws.com', issuer: root }),
  'whose issuer is said to be anywhere': ({ root }) => {
    const issuer = issue({ cn: 'Issuer in between', issuer: root })
    return issue({ cn: 'x', hosts, issuer, issuerAddress: 'http://169.254.169.254/latest/meta-data' })
  },
}
test('a certificate that is not for the region of the topic, not valid now, or not of a trusted authority is refused', async (t) => {
  const here = await setup(t)
  for (const [what, signer] of Object.entries(PRETENDERS)) {
    const own = signer(here.net)
    here.net.answer = () => ({ body: own.pem })
    await refuses(here, signed(canary(certificateOf(what)), own), ['topic_certificate', what])
  }
  assert.deepEqual([...new Set(here.net.asked.map(({ host }) => host))], [HOST])
})

const certificateOf = (what: string) => ({ SigningCertURL: `https://${HOST}/${what.replaceAll(' ', '-')}.pem` })

const ANSWERS: { readonly [what: string]: (pem: string) => Served } = {
  'an oversized certificate': (pem) => ({ body: pem + '\n'.repeat(20_000) }),
  'a page with a certificate in it': (pem) => ({ body: `<Attribute>${pem}</Attribute>` }),
  'a redirect': () => ({ status: 302, headers: { Location: '/SimpleNotificationService-1.pem' } }),
  'a certificate with an error': (pem) => ({ status: 404, body: pem }),
  'no certificate': () => ({ body: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' }),
  'an empty answer': () => ({ body: '' }),
}
test('an answer without a certificate is refused', async (t) => {
  const here = await setup(t)
  for (const [what, answer] of Object.entries(ANSWERS)) {
    const path = new URL(certificateOf(what).SigningCertURL).pathname
    here.net.answer = (asked) => (asked.url === path ? answer(here.signer.pem) : { body: here.signer.pem })
    await refuses(here, here.sign(canary(certificateOf(what))), ['topic_certificate', what])
  }
  assert.deepEqual([...new Set(here.net.asked.map(({ host }) => host))], [HOST])
})

test('a certificate that never arrives is refused', async (t) => {
  const here = await setup(t, { deadlineMs: 2_000 })
  const { answer } = here.net
  here.net.answer = (asked) => (asked.url.startsWith('/never') ? { hang: true } : answer(asked))
  // Opens the connection, so that the deadline is only for the answer.
  assert.equal((await here.send(here.sign(notification()))).status, 200)
  const intakes = here.intakes.length
  const { status } = await here.send(here.sign(canary({ SigningCertURL: `https://${HOST}/never.pem` })))
  assert.deepEqual([status, here.intakes.length], [400, intakes])
})

test('a host whose TLS certificate does not verify is refused', async (t) => {
  const here = await setup(t)
  here.net.impostors.add(HOST)
  await refuses(here, here.sign(canary()), ['topic_certificate', 'an impostor'])
  assert.equal(here.net.asked.length, 0)
})

test('raw messages are refused unless the configuration allows them', async (t) => {
  const here = await setup(t)
  const headers = { 'x-amz-sns-rawdelivery': 'true', 'x-amz-sns-message-type': 'Notification' }
  const answer = await here.send(CANARY, headers)
  assert.equal(answer.status, 400)
  assert.match(errorOf(answer), /raw_delivery/)
  assert.deepEqual([here.log.lines.length, here.intakes.length, here.net.asked.length], [1, 0, 0])
})

test('when the host cannot be reached or fails, the topic has to send again', async (t) => {
  const here = await setup(t)
  const { answer } = here.net
  const message = here.sign(notification())
  here.net.down = true
  const unreached = await here.send(message)
  here.net.down = false
  here.net.answer = () => ({ status: 503 })
  const failed = await here.send(message)
  for (const { status, headers } of [unreached, failed])
    assert.deepEqual([status, headers['retry-after'] === undefined], [503, false])
  here.net.answer = answer
  assert.equal((await here.send(message)).status, 200)
})

test('a bad certificate is fetched again only after a while, and evicts no good one', async (t) => {
  const here = await setup(t)
  const { answer } = here.net
  here.net.answer = (asked) => (asked.url.startsWith('/bad') ? { status: 404 } : answer(asked))
  assert.equal((await here.send(here.sign(notification()))).status, 200)
  const SigningCertURL = `https://${HOST}/bad.pem`
  for (let n = 0; n < 3; n++) assert.equal((await here.send(here.sign(canary({ SigningCertURL })))).status, 400)
  assert.equal(certificatesAsked(here.net), 2)
  for (let n = 0; n < 300; n++) await here.send(here.sign(canary({ SigningCertURL: `https://${HOST}/bad-${n}.pem` })))
  const before = certificatesAsked(here.net)
  assert.equal((await here.send(here.sign(notification()))).status, 200)
  assert.equal(certificatesAsked(here.net), before)
})

test('a flood of forgeries writes only a few lines to the log', async (t) => {
  const here = await setup(t)
  for (let n = 0; n < 100; n++) assert.equal((await here.send('{}')).status, 400)
  assert.ok(here.log.lines.length < 30, `${here.log.lines.length} lines`)
})
