import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentDetail } from '../../src/api/incident.ts'
import { FAST } from '../harness/config-file.ts'
import { admin, post } from '../harness/net/requests.ts'
import { startStandIn } from '../harness/providers.ts'
import { APP, blockActions, slackRequest, startSlackApp } from '../harness/slack/app.ts'
import { until } from '../harness/until.ts'
import { skip, startCluster, type TestReplica } from './cluster.ts'

const ADA = { id: 'U0ADALOVE', username: 'ada.l', team_id: APP.team }
const GRACE = { id: 1_906, first_name: 'Grace' }
const PROBLEMS = 12

test('two replicas: presses come to the leader by poll, and through both by signed requests; none is lost when it dies', {
  skip,
}, async (t) => {
  const app = await startSlackApp(t)
  const telegram = await startStandIn(t, 'msgapp')
  const bot = telegram.bot ?? assert.fail()
  const cluster = await startCluster(t, {
    config: {
      public_host: 'http://127.0.0.1',
      noise: { storm: { enable: false } },
      people: { ada: { name: 'Ada Lovelace', ids: { chatws: ADA.id, msgapp: String(GRACE.id) } } },
      alert: {
        chatws: {
          ...{ enable: true, token: APP.token, channel_id: 'C0ALERTS', api_url: app.chat.url, ...FAST },
          answers: { mode: 'http', signing_secret: APP.signingSecret },
        },
        msgapp: {
          ...{ enable: true, token: '123456:stand-in', channel_id: '-100500', api_url: telegram.url, ...FAST },
          answers: { mode: 'poll' },
        },
      },
    },
  })
  const leader = await cluster.nextLeader()
  const follower = cluster.replicas.find((each) => each !== leader) ?? assert.fail()
  const ids: string[] = []
  for (let nth = 0; nth < PROBLEMS; nth++) {
    const { headers } = await post(follower.url, { ServiceName: `service ${nth}`, Logs: `disk ${nth} is full` })
    ids.push(headers.get('x-incident-id') ?? '')
  }
  await until(() => app.calls('chat.postMessage').length >= PROBLEMS && telegram.posts >= PROBLEMS)
  /** Returns the token of a button of the message about a problem, and the message's number. */
  const buttonOf = (nth: number, bodies: readonly string[], letter: string) => {
    const at = bodies.findIndex((body) => body.includes(`disk ${nth} is full`))
    const [token = ''] = new RegExp(`1${letter}\\.[\\w.-]+`).exec(bodies[at] ?? '') ?? []
    return { at: at + 1, token }
  }
  const bodiesOf = (requests: readonly { body: string }[]) => requests.map(({ body }) => body)
  const slackMessages = bodiesOf(app.calls('chat.postMessage'))
  const telegramMessages = bodiesOf(telegram.taken)

  const pressSlack = (url: string, nth: number) => {
    const { at, token } = buttonOf(nth, slackMessages, 'a')
    const message_ts = `1700000000.${String(at).padStart(6, '0')}`
    const payload = blockActions(token, { user: ADA, container: { type: 'message', message_ts } })
    const request = slackRequest(payload, Date.now())
    return fetch(`${url}/api/chat/chatws`, { method: 'POST', ...request }).then(
      ({ status }) => status,
      () => 0,
    )
  }
  const pressTelegram = (nth: number) => {
    const { at, token } = buttonOf(nth, telegramMessages, 'a')
    bot.press(at, token, GRACE)
  }
  const ackedBy = async (url: string, nth: number) =>
    (await admin<IncidentDetail>(url, `/api/admin/incidents/${ids[nth]}`)).acked_by
  const acked = (replica: TestReplica, nth: number) =>
    until(
      () => ackedBy(replica.url, nth).catch(() => null),
      (by) => by !== null,
    )

  assert.equal(await pressSlack(follower.url, 0), 200)
  assert.equal(await acked(leader, 0), 'Ada Lovelace')
  await until(() => bot.isPolled)
  pressTelegram(1)
  assert.equal(await acked(follower, 1), 'Ada Lovelace')

  // Presses while the leader is killed: Telegram keeps its own, a person at Slack presses again.
  for (let nth = 2; nth < 6; nth++) pressTelegram(nth)
  await leader.end('SIGKILL')
  for (let nth = 6; nth < 8; nth++) pressTelegram(nth)
  await cluster.nextLeader(leader)
  for (let nth = 8; nth < PROBLEMS; nth++) await until(async () => (await pressSlack(follower.url, nth)) === 200)
  for (let nth = 0; nth < PROBLEMS; nth++) assert.equal(await acked(follower, nth), 'Ada Lovelace')
  await until(() => bot.waiting === 0 && bot.isPolled)

  for (const id of ids) {
    const { answers } = await admin<IncidentDetail>(follower.url, `/api/admin/incidents/${id}`)
    assert.equal(answers.filter(({ result }) => result === 'done').length, 1)
  }
  const shown = (messages: readonly { readonly text: string }[]) =>
    messages.slice(0, PROBLEMS).filter(({ text }) => /Acknowledged by Ada Lovelace/.test(text)).length
  await until(() => shown(app.chat.messages) >= PROBLEMS && shown(telegram.messages) >= PROBLEMS)

  // The old one comes back and does not poll beside the new one.
  await leader.start()
  const conflicts = telegram.requests.filter(({ path }) => path.endsWith('/getUpdates')).length
  pressTelegram(0)
  await until(() => bot.waiting === 0)
  assert.ok(telegram.requests.filter(({ path }) => path.endsWith('/getUpdates')).length - conflicts <= 4)
})
