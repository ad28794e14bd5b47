import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { APP, blockActions, type SlackApp, slackRequest, startSlackApp } from '../../harness/slack/app.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const slack = (app: SlackApp, answers: object) => ({
  chatws: { enable: true, token: APP.token, channel_id: 'C0ALERTS', api_url: app.chat.url, answers, ...FAST },
})
const SOCKET = { mode: 'socket', app_token: APP.appToken, connections: 1 }
const HTTP = { mode: 'http', signing_secret: APP.signingSecret }
const PEOPLE = { ada: { name: 'Ada Lovelace', ids: { chatws: 'U0ADALOVE' } } }

async function started(t: TestContext, answers: object, more: object = {}) {
  const app = await startSlackApp(t)
  const config = (changes: object = {}) =>
    configFile(folder(), {
      public_host: 'http://127.0.0.1',
      people: PEOPLE,
      alert: slack(app, answers),
      ...more,
      ...changes,
    })
  const system = await startTestSystem(t, config())
  app.sockets.stopFirst(() => system.stop())
  return { app, system, config }
}

interface Element {
  readonly type: string
  readonly value?: string
  readonly action_id?: string
}
/** Returns the tokens of a message's buttons by their letter. */
function buttonsOf(json: unknown): Map<string, string> {
  const { attachments } = json as { attachments: { blocks: { type: string; elements?: Element[] }[] }[] }
  const elements = attachments.flatMap(({ blocks }) => blocks).flatMap(({ elements = [] }) => elements)
  return new Map(elements.flatMap(({ action_id, value }) => (action_id && value ? [[action_id, value]] : [])))
}

const ADA = { id: 'U0ADALOVE', username: 'ada.l', team_id: APP.team }
const pressOf = (buttons: Map<string, string>, letter = 'a') =>
  blockActions(buttons.get(`tocsin.${letter}`) ?? '', { user: ADA })

async function told(app: SlackApp, url: string, logs = 'disk full') {
  const answer = await post(url, { ServiceName: 'ledger', Logs: logs })
  assert.equal(answer.status, 201)
  const sent = await app.chat.waitFor(({ path, body }) => path === '/api/chat.postMessage' && body.includes(logs))
  return { id: answer.headers.get('x-incident-id') ?? '', buttons: buttonsOf(sent.json) }
}

interface Incident {
  readonly acked_by: string | null
  readonly resolved_by: string | null
  readonly answers: readonly {
    readonly actor: string
    readonly via: string
    readonly place: string
    readonly result: string
  }[]
}
const incident = (url: string, id: string) => admin<Incident>(url, `/api/admin/incidents/${id}`)

test('a press over the socket acknowledges as the person of the list, once for all its repetitions', async (t) => {
  const { app, system } = await started(t, SOCKET)
  const { id, buttons } = await told(app, system.url)
  const [socket] = await app.connected(1)
  const payload = pressOf(buttons)
  const envelopes = [socket?.envelope('interactive', payload), socket?.envelope('interactive', payload)]
  await until(() => envelopes.every((each) => socket?.acked.includes(each ?? '')))
  const { acked_by, answers } = await incident(system.url, id)
  assert.equal(acked_by, 'Ada Lovelace')
  assert.deepEqual(
    answers.map(({ actor, via, place, result }) => [actor, via, place, result]),
    [['Ada Lovelace', 'chatws', 'C0ALERTS', 'done']],
  )
  const { decisions } = await admin<Explanation>(system.url, `/api/admin/incidents/${id}/explain`)
  const { stage, subject, verdict, because } = decisions.at(-1) ?? {}
  assert.deepEqual(
    [stage, subject, verdict, because],
    ['answer', 'acknowledge', 'done', 'Ada Lovelace, by chatws in C0ALERTS'],
  )
})

test('after a press the message says who did what, and has the buttons that still make sense', async (t) => {
  const { app, system } = await started(t, SOCKET)
  const { buttons } = await told(app, system.url)
  const [socket] = await app.connected(1)
  socket?.envelope('interactive', pressOf(buttons))
  const edit = await app.chat.waitFor(({ path }) => path === '/api/chat.update')
  assert.match(edit.body, /Acknowledged by Ada Lovelace/)
  assert.deepEqual([...buttonsOf(edit.json).keys()], ['tocsin.r', 'tocsin.s60', 'tocsin.u'])
})

test('a signed request is taken, and one without a valid signature is refused', async (t) => {
  const { app, system } = await started(t, HTTP)
  const { id, buttons } = await told(app, system.url)
  const send = (secret?: string) => {
    const { body, headers } = slackRequest(pressOf(buttons), Date.now(), secret)
    return fetch(`${system.url}/api/chat/chatws`, { method: 'POST', body, headers })
  }
  assert.equal((await send('another secret')).status, 401)
  assert.equal((await incident(system.url, id)).acked_by, null)
  await until(async () => (await send()).status === 200)
  assert.equal((await incident(system.url, id)).acked_by, 'Ada Lovelace')
  const large = await fetch(`${system.url}/api/chat/chatws`, { method: 'POST', body: 'x'.repeat(300 * 1024) })
  assert.equal(large.status, 413)
})

test('without a mode the routes answer as unknown paths, and messages have no buttons', async (t) => {
  const { app, system } = await started(t, {})
  const { buttons } = await told(app, system.url)
  assert.equal(buttons.size, 0)
  for (const path of ['/api/chat/chatws', '/api/chat/unknown'])
    assert.equal((await fetch(system.url + path, { method: 'POST', body: 'payload={}' })).status, 404)
  assert.equal(app.sockets.sockets.length, 0)
})

test('a reload with equal settings keeps the socket; without the mode it is closed', async (t) => {
  const { app, system, config } = await started(t, SOCKET)
  const [first] = await app.connected(1)
  await system.reloadFrom(config({ log: { level: 'info' } }))
  assert.equal(first?.isOpen, true)
  await system.reloadFrom(config({ alert: slack(app, {}) }))
  await until(() => first?.isOpen === false)
  assert.equal(app.sockets.sockets.length, 1)
})

test('the channel shows that its way back is up', async (t) => {
  const { app, system } = await started(t, SOCKET)
  const receiver = async () => {
    const { channels } = await admin<{
      channels: { name: string; receiver?: { state: string; mode: string } | null }[]
    }>(system.url, '/api/admin/channels')
    return channels.find(({ name }) => name === 'chatws')?.receiver
  }
  await app.connected(1)
  await until(async () => (await receiver())?.state === 'up')
  assert.equal((await receiver())?.mode, 'socket')
})
