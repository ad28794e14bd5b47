import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { admin, post } from '../harness/net/requests.ts'
import { startStandIn } from '../harness/providers.ts'
import { type Running, startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'
import { issue } from '../topic/authority.ts'
import { type Asked, type Served, startInternet } from '../topic/internet.ts'
import { ARN, confirmation, type Fields, HOST, notification, signed } from '../topic/messages.ts'

const SECRET_KEY = 'secret-of-the-cloud'
const topicsvc = {
  enable: true,
  topic_arn: ARN,
  https_endpoint_subscription: 'https://tocsin.test',
  access_key_id: 'AKIATEST',
  secret_access_key: SECRET_KEY,
}
const PENDING =
  '<SubscribeResponse><SubscribeResult><SubscriptionArn>pending confirmation</SubscriptionArn></SubscribeResult></SubscribeResponse>'
const XML = { 'Content-Type': 'text/xml' }

async function topicService(t: TestContext, subscribe: () => Served = () => ({ headers: XML, body: PENDING })) {
  const net = await startInternet(t)
  const signer = issue({ cn: 'sns.amazonaws.com', hosts: ['sns.amazonaws.com'], issuer: net.root })
  net.answer = ({ host, url, body }) => {
    if (host !== HOST) return undefined
    if (body.includes('Action=Subscribe')) return subscribe()
    return url.endsWith('.pem') ? { body: signer.pem } : {}
  }
  const subscriptions = () => net.asked.filter(({ body }) => body.includes('Action=Subscribe'))
  return { net, subscriptions, sign: (message: Fields) => signed(message, signer) }
}

async function deliver({ url }: Running, message: Fields, path = '/sns') {
  const headers = { 'Content-Type': 'text/plain; charset=UTF-8' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(message) })
  const id = answer.headers.get('x-incident-id') ?? ''
  return { status: answer.status, id, json: (await answer.json()) as { readonly [key: string]: unknown } }
}

interface Status {
  readonly subscription: { readonly state: string; readonly last_error: string | null } | null
  readonly messages: { readonly taken: number; readonly refused: { readonly [code: string]: number } }
}
const statusOf = ({ url }: Running) => admin<Status>(url, '/api/admin/topic')

test('it subscribes, confirms, and accepts each message once, also across a restart', async (t) => {
  const { subscriptions, sign } = await topicService(t)
  const file = configFile(folder(), { topicsvc })
  const first = await startTestSystem(t, file)
  const [call] = (await until(subscriptions, ({ length }) => length > 0)) as [Asked]
  const form = new URLSearchParams(call.body)
  assert.deepEqual(
    ['TopicArn', 'Protocol', 'Endpoint'].map((name) => form.get(name)),
    [ARN, 'https', 'https://tocsin.test/sns'],
  )
  assert.match(String(call.headers.authorization), /AKIATEST\/\d{8}\/eu-north-1\/sns/)
  assert.ok(!JSON.stringify(call).includes(SECRET_KEY))
  await until(async () => (await statusOf(first)).subscription?.state === 'pending')
  assert.equal((await deliver(first, sign(confirmation()))).status, 200)
  assert.equal((await statusOf(first)).subscription?.state, 'subscribed')

  const attributes = { tier: { Type: 'String', Value: 'gold' } }
  const message = sign(notification({ Message: '{"ServiceName":"ledger"}', MessageAttributes: attributes }))
  const created = await deliver(first, message)
  assert.deepEqual([created.status, created.json], [200, { status: 'Incident created' }])
  const record = await admin<{ readonly [key: string]: unknown }>(first.url, `/api/admin/incidents/${created.id}`)
  assert.deepEqual([record.source, record.content], ['topic', { ServiceName: 'ledger' }])
  assert.deepEqual(record.topic, {
    message_id: message.MessageId,
    topic_arn: ARN,
    subject: null,
    published_at: message.Timestamp,
    attributes: { tier: { type: 'String', value: 'gold' } },
  })
  const again = await deliver(first, message)
  assert.deepEqual([again.status, again.id, again.json], [200, created.id, { status: 'Incident already created' }])
  await first.stop()

  const second = await startTestSystem(t, file)
  const late = await deliver(second, message)
  assert.deepEqual([late.status, late.id], [200, created.id])
  const { total } = await admin<{ readonly total: number }>(second.url, '/api/admin/incidents')
  assert.equal(total, 1)
})

test('a cloud alarm goes to the destination in the query of the subscribed address', async (t) => {
  const { sign } = await topicService(t)
  const chat = await startStandIn(t, 'chatws')
  const other_channel_ids = { night: 'C-NIGHT' }
  const chatws = { enable: true, token: 'xoxb-1', channel_id: 'C-DAY', api_url: chat.url, other_channel_ids, ...FAST }
  const path = '/from/topic?chatws_other_channel_id=night'
  const settings = { ...topicsvc, https_endpoint_subscription_path: path }
  const system = await startTestSystem(t, configFile(folder(), { topicsvc: settings, alert: { chatws } }))
  const alarm = {
    AlarmName: 'ledger-5xx',
    NewStateValue: 'ALARM',
    OldStateValue: 'OK',
    Region: 'EU (Stockholm)',
    NewStateReason: 'Threshold Crossed: 3 datapoints were greater than 10',
    Trigger: { MetricName: 'HTTPCode_Target_5XX_Count', Namespace: 'AWS/ApplicationELB', Dimensions: [] },
  }
  assert.equal((await deliver(system, sign(notification({ Message: JSON.stringify(alarm) })), path)).status, 200)
  const { json, body } = await chat.waitFor(({ body }) => body.includes('ledger-5xx'))
  assert.equal((json as { readonly channel: string }).channel, 'C-NIGHT')
  for (const said of ['ALARM', 'Threshold Crossed', 'HTTPCode_Target_5XX_Count']) assert.ok(body.includes(said), said)
})

test('a topic that refuses the subscription is an error in the log, and stops nothing else', async (t) => {
  const denied = `<ErrorResponse><Error><Type>Sender</Type><Code>AuthorizationError</Code><Message>not with ${SECRET_KEY}</Message></Error></ErrorResponse>`
  const { sign } = await topicService(t, () => ({ status: 403, headers: XML, body: denied }))
  const system = await startTestSystem(t, configFile(folder(), { topicsvc }))
  const { subscription } = await until(
    () => statusOf(system),
    (status) => Boolean(status.subscription?.last_error),
  )
  assert.match(String(subscription?.last_error), /AuthorizationError/)
  const [line] = system.log.lines.filter(({ level }) => level === 'error')
  assert.equal(line?.message, 'subscribing to the topic failed; it is tried again')
  assert.ok(!JSON.stringify([system.log.lines, subscription]).includes(SECRET_KEY))
  assert.equal((await post(system.url, { ServiceName: 'over-http' })).status, 201)
  assert.equal((await fetch(`${system.url}/readyz`)).status, 200)
  assert.equal((await deliver(system, sign(notification()))).status, 200)
  assert.equal((await statusOf(system)).subscription?.state, 'subscribed')
})

test('a reload switches the intake on, to another topic, and off', async (t) => {
  const { subscriptions, sign } = await topicService(t)
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir))
  assert.equal((await deliver(system, sign(notification()))).status, 404)
  await system.reloadFrom(configFile(dir, { topicsvc }))
  assert.equal((await deliver(system, sign(notification()))).status, 200)
  await system.reloadFrom(configFile(dir, { topicsvc, public_host: 'http://elsewhere' }))
  const other = ARN.replace('incidents', 'others')
  await system.reloadFrom(configFile(dir, { topicsvc: { ...topicsvc, topic_arn: other } }))
  assert.equal((await deliver(system, sign(notification()))).status, 400)
  assert.equal((await deliver(system, sign(notification({ TopicArn: other })))).status, 200)
  await until(subscriptions, ({ length }) => length === 2)
  const { messages } = await statusOf(system)
  assert.deepEqual(messages, { taken: 2, refused: { topic_mismatch: 1 } })
  await system.reloadFrom(configFile(dir))
  assert.equal((await deliver(system, sign(notification({ TopicArn: other })))).status, 404)
  assert.equal((await statusOf(system)).subscription, null)
})
