import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { topicOf } from '../../../src/domain/topic.ts'
import { HttpFailure } from '../../../src/outbound/http-call.ts'
import { openOutbound } from '../../../src/topic/outbound.ts'
import { subscribe } from '../../../src/topic/subscribe.ts'
import { admin } from '../../harness/net/requests.ts'
import { ask } from '../../harness/net/wire.ts'
import { ARN, HOST, notification } from '../../topic/messages.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, startVictim } from '../victim.ts'
import { answerOf, startBadServer } from './bad-server.ts'
import { body, encoded, tree, word } from './hostile.ts'

const SECRET_KEY = 'the secret key of the cloud'
const envelope = fc
  .dictionary(
    fc.oneof(fc.constantFrom(...Object.keys(notification()), 'SubscribeURL', 'Token', 'MessageAttributes'), word),
    fc.oneof(
      word,
      tree,
      fc.constantFrom('SubscriptionConfirmation', 'UnsubscribeConfirmation', ARN, '1', '2'),
      fc.constantFrom(
        `https://${HOST}/x.pem`,
        `https://${HOST}/?Action=ConfirmSubscription`,
        'https://127.0.0.1/x.pem',
      ),
    ),
    { maxKeys: 4 },
  )
  .map((changed) => Buffer.from(JSON.stringify({ ...notification(), ...changed })))
const posted = fc.record({
  body: fc.oneof({ weight: 3, arbitrary: envelope }, { weight: 1, arbitrary: body }),
  raw: fc.option(fc.constantFrom('true', 'false', 'TRUE', '1'), { freq: 3 }),
  query: fc.option(word, { freq: 3 }),
})

test('any body posted to the topic path is refused with an error, and raises no incident', async (t) => {
  const victim = await startVictim(
    t,
    {
      topicsvc: {
        enable: true,
        topic_arn: ARN,
        https_endpoint_subscription: 'https://tocsin.test',
        access_key_id: 'AKIATEST',
        secret_access_key: SECRET_KEY,
      },
      // The topic service is not reachable.
      agent: { enable: false },
    },
    { env: { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' } },
  )
  const before = victim.rss()
  await holdsFor(t, { share: 0.04, arbitrary: posted }, async ({ body: sent, raw, query }) => {
    const headers: [string, string][] = [['Content-Type', 'text/plain; charset=UTF-8']]
    if (raw !== null) headers.push(['x-amz-sns-rawdelivery', raw], ['x-amz-sns-message-type', 'Notification'])
    const target = query === null ? '/sns' : `/sns?chatws_other_channel_id=${encoded(query).slice(0, 1_000)}`
    const answer = await ask(victim.url, { method: 'POST', target, headers, body: sent })
    assert.ok(
      [400, 413, 503].includes(answer.status),
      `${answer.status} ${answer.body} to ${sent.toString().slice(0, 2_000)}`,
    )
    assert.equal(typeof JSON.parse(answer.body).error, 'string')
  })
  const { total } = await admin<{ total: number }>(victim.url, '/api/admin/incidents')
  assert.equal(total, 0)
  assert.ok(!victim.output().includes(SECRET_KEY))
  await victim.assertSound()
  assertBounded(before, victim.rss())
})

const known = fc.oneof(
  fc.constantFrom(
    '<SubscribeResponse><SubscribeResult><SubscriptionArn>arn:aws:sns:x</SubscriptionArn></SubscribeResult></SubscribeResponse>',
    '<SubscribeResponse><SubscribeResult/></SubscribeResponse>',
    '<ErrorResponse><Error><Code>__proto__</Code><Message>no</Message></Error></ErrorResponse>',
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><SubscribeResponse><a>&b;</a></SubscribeResponse>',
    `<!DOCTYPE a [<!ENTITY b "xxxxxxxxxx"><!ENTITY c "${'&b;'.repeat(1_000)}">]><SubscribeResponse>${'&c;'.repeat(1_000)}</SubscribeResponse>`,
    `${'<a>'.repeat(5_000)}`,
    '<SubscribeResponse><SubscribeResult><__proto__><polluted>1</polluted></__proto__></SubscribeResult></SubscribeResponse>',
  ),
  word.map(
    (text) =>
      `<SubscribeResponse><SubscribeResult><SubscriptionArn>${text}</SubscriptionArn></SubscribeResult></SubscribeResponse>`,
  ),
)

test('any answer to a subscription is accepted, or fails with a reason', async (t) => {
  const badServer = await startBadServer(t, { ends: true })
  const outbound = openOutbound()
  t.after(() => outbound.close())
  process.env.AWS_ENDPOINT_URL_SNS = badServer.url
  t.after(() => delete process.env.AWS_ENDPOINT_URL_SNS)
  const topic = topicOf(ARN)
  assert.ok(topic)
  const options = { topic, endpoint: 'https://tocsin.test/sns', accessKeyId: 'AKIATEST', secretAccessKey: SECRET_KEY }
  let failures = 0
  await holdsFor(t, { share: 0.03, arbitrary: answerOf(known) }, async (next) => {
    badServer.next = next
    const outcome = await subscribe(options, outbound).catch((error: unknown) => error)
    if (typeof outcome === 'boolean') return
    failures++
    assert.ok(outcome instanceof Error && outcome.message !== '', String(outcome))
    assert.ok(!(outcome instanceof HttpFailure) || outcome.kind !== 'silent', outcome.message)
    assert.ok(!outcome.message.includes(SECRET_KEY) && !/root:|x{10_000}/.test(outcome.message))
  })
  assert.ok(failures > 0)
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})
