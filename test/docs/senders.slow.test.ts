import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sectionOf } from '../../src/commands/demo/storm.ts'
import { startProvider } from '../../src/simulator/index.ts'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { post } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'
import { startInternet } from '../topic/internet.ts'
import { HOST, notification, signed } from '../topic/messages.ts'
import { blocksOf } from './pages.ts'

const PAGE = 'docs/senders.md'
const SENDERS = Map.groupBy(blocksOf(PAGE), ({ heading }) => heading)
const TOKEN = 'TOKEN-of-the-page'
const ARN = 'arn:aws:sns:eu-central-1:123456789012:alarms'
const HOST_OF_TOPIC = HOST.replace('eu-north-1', 'eu-central-1')

test('every recipe of docs/senders.md makes the message that stands below it', async (t) => {
  const net = await startInternet(t)
  net.answer = ({ url }) => (url.endsWith('.pem') ? { body: net.signer.pem } : { body: '<SubscribeResponse/>' })
  const chat = await startProvider('chatws')
  t.after(() => chat.close())
  const chatws = { enable: true, token: 'xoxb', channel_id: 'C1', api_url: chat.url, ...FAST }
  const topicsvc = { enable: true, topic_arn: ARN, https_endpoint_subscription: 'https://tocsin.test' }
  const credentials = { access_key_id: 'AKIATEST', secret_access_key: 'secret-of-the-cloud' }
  const file = configFile(folder(), {
    http: { intake_token: TOKEN },
    alert: { chatws },
    topicsvc: { ...topicsvc, ...credentials },
  })
  const { url } = await startTestSystem(t, file)

  /** Sends the payload of a recipe as its sender does. */
  async function send(sender: string, payload: string, command: string): Promise<unknown> {
    const authorization = { Authorization: `Bearer ${TOKEN}` }
    if (sender === 'cron')
      return run(command.replace('http://tocsin:3000', url).replace('/usr/local/bin/backup', 'false'))
    if (sender !== 'CloudWatch through SNS') return (await post(url, payload, authorization)).status
    const SigningCertURL = `https://${HOST_OF_TOPIC}/SimpleNotificationService-1.pem`
    const message = signed(notification({ Message: payload, TopicArn: ARN, SigningCertURL }), net.signer)
    return (await fetch(`${url}/sns`, { method: 'POST', body: JSON.stringify(message) })).status
  }

  const recipes = [...SENDERS].filter(([, blocks]) => blocks.some(({ language }) => language === 'text'))
  assert.equal(recipes.length, 8)
  for (const [nth, [sender, blocks]] of recipes.entries()) {
    const last = (kind: string) => blocks.findLast(({ language }) => language === kind)?.text ?? ''
    const answer = await send(sender, last('json'), last('sh').replace('TOKEN', TOKEN))
    assert.ok([200, 201, true].includes(answer as number), `${sender}: ${answer}`)
    await chat.waitFor(() => chat.requests.length > nth)
    assert.equal(sectionOf(chat.requests[nth] as never), last('text'), sender)
  }
})

/** Returns true when the shell command succeeds. */
async function run(command: string): Promise<boolean> {
  await promisify(execFile)('sh', ['-c', command])
  return true
}
