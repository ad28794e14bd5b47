import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { ADA, SECRET, startTelegram, TOKEN } from '../../harness/telegram/app.ts'
import { until } from '../../harness/until.ts'

const PEOPLE = { ada: { name: 'Ada & Lovelace', ids: { msgapp: String(ADA.id) } } }

async function started(t: TestContext, answers: object, chat: object = {}) {
  const app = await startTelegram(t)
  const msgapp = { enable: true, token: TOKEN, channel_id: '-1001', api_url: app.api.url, answers, ...FAST, ...chat }
  const config = { public_host: 'http://127.0.0.1', people: PEOPLE, alert: { msgapp } }
  const system = await startTestSystem(t, configFile(folder(), config))
  app.stopFirst(() => system.stop())
  return { app, system }
}

type Keyboard = { readonly text: string; readonly callback_data: string }[][]
/** Returns the buttons of a message by their labels. */
function buttonsOf(json: unknown): Map<string, string> {
  const { reply_markup } = json as { reply_markup?: { inline_keyboard: Keyboard } }
  const keys = reply_markup?.inline_keyboard.flat() ?? []
  return new Map(keys.map(({ text, callback_data }) => [text, callback_data]))
}

/** Sends an incident and returns its id, its buttons and the number of its message. */
async function told({ api }: Awaited<ReturnType<typeof startTelegram>>, url: string, logs = 'disk full') {
  const answer = await post(url, { ServiceName: 'ledger', Logs: logs })
  assert.equal(answer.status, 201)
  const sent = await api.waitFor(({ path, body }) => path.endsWith('/sendMessage') && body.includes(logs))
  const message = await until(() => api.messages.findIndex(({ text }) => text.includes(logs)) + 1)
  return { id: answer.headers.get('x-incident-id') ?? '', buttons: buttonsOf(sent.json), message }
}

interface Incident {
  readonly deliveries: readonly { readonly state: string }[]
  readonly acked_by: string | null
  readonly answers: readonly { readonly actor: string; readonly place: string; readonly result: string }[]
}
const incident = (url: string, id: string) => admin<Incident>(url, `/api/admin/incidents/${id}`)

test('a press that a poll brings is on disk before its person reads so, and the message says who did what', async (t) => {
  const { app, system } = await started(t, { mode: 'poll' })
  const { id, buttons, message } = await told(app, system.url)
  assert.deepEqual([...buttons.keys()], ['Acknowledge', 'Resolve', 'Silence 1 h', 'Silence until resolved'])
  app.bot.press(message, buttons.get('Acknowledge') ?? '', ADA)
  await until(() => app.bot.said.length > 0)
  assert.deepEqual([app.bot.said[0]?.text, app.bot.said[0]?.show_alert], ['Acknowledged.', false])
  const { acked_by, answers } = await incident(system.url, id)
  assert.equal(acked_by, 'Ada & Lovelace')
  assert.deepEqual(
    answers.map(({ actor, place, result }) => [actor, place, result]),
    [['Ada & Lovelace', '-1001', 'done']],
  )
  const edit = await app.api.waitFor(({ path }) => path.endsWith('/editMessageText'))
  assert.match(edit.text, /Acknowledged by Ada &amp; Lovelace/)
  assert.deepEqual([...buttonsOf(edit.json).keys()], ['Resolve', 'Silence 1 h', 'Silence until resolved'])
})

test('who is not listed is shown with the id; a press in a foreign chat or with a made up token does nothing', async (t) => {
  const { app, system } = await started(t, { mode: 'poll' })
  const { id, buttons, message } = await told(app, system.url)
  const ben = { id: 7, first_name: 'Ada', last_name: 'Lovelace (msgapp 123456789)' }
  const token = buttons.get('Acknowledge') ?? ''
  app.bot.press(message, `${token.slice(0, -1)}_`, ben)
  await app.call('sendMessage', { chat_id: '-666', text: 'of a stranger' })
  app.bot.press(app.api.messages.length, token, ben)
  await until(() => app.bot.said.length === 2)
  assert.equal((await incident(system.url, id)).acked_by, null)
  assert.ok(app.bot.said.every(({ show_alert }) => show_alert))
  app.bot.press(message, token, ben)
  await until(() => app.bot.said.length === 3)
  assert.match((await incident(system.url, id)).acked_by ?? '', /^[^()]+ \(msgapp 7\)$/)
})

test('a press in a group that moved counts: the message was sent for this incident', async (t) => {
  const { app, system } = await started(t, { mode: 'poll' })
  const { id, buttons, message } = await told(app, system.url)
  await until(async () => (await incident(system.url, id)).deliveries.every(({ state }) => state === 'sent'))
  app.bot.receive({
    callback_query: {
      id: '1',
      from: { is_bot: false, ...ADA },
      message: { message_id: message, chat: { id: -1009988776655, type: 'supergroup' } },
      data: buttons.get('Resolve'),
    },
  })
  await until(async () => (await incident(system.url, id)).answers.some(({ result }) => result === 'done'))
})

test('the webhook takes presses with its secret, and nothing above 256 KiB', async (t) => {
  const { app, system } = await started(t, { mode: 'webhook', secret_token: SECRET })
  await until(() => app.bot.webhook.url !== '')
  assert.match(app.bot.webhook.url, /^http:\/\/127\.0\.0\.1\/api\/chat\/msgapp\?[\da-f]{4}$/)
  const url = `${system.url}/api/chat/msgapp?1a2b`
  const send = (body: string, secret: string) =>
    fetch(url, { method: 'POST', body, headers: { 'x-telegram-bot-api-secret-token': secret } })
  const { id, buttons, message } = await told(app, system.url)
  app.bot.webhook = { ...app.bot.webhook, url, secret_token: 'another' }
  app.bot.press(message, buttons.get('Acknowledge') ?? '', ADA)
  await app.bot.push()
  assert.deepEqual([app.bot.waiting, (await incident(system.url, id)).acked_by], [1, null])
  app.bot.webhook = { ...app.bot.webhook, secret_token: SECRET }
  await app.bot.push()
  assert.deepEqual([app.bot.waiting, (await incident(system.url, id)).acked_by], [0, 'Ada & Lovelace'])
  for (const [body, secret, status] of [
    ['{}', '', 401],
    ['x'.repeat(300 * 1024), SECRET, 413],
    ['no JSON', SECRET, 200],
    ['{}', SECRET, 200],
  ] as const)
    assert.equal((await send(body, secret)).status, status)
})

test('without a mode nothing is asked of Telegram but to send, and the route answers as an unknown path', async (t) => {
  const { app, system } = await started(t, {})
  const { buttons } = await told(app, system.url)
  assert.equal(buttons.size, 0)
  assert.equal((await fetch(`${system.url}/api/chat/msgapp`, { method: 'POST', body: '{}' })).status, 404)
  assert.deepEqual(new Set(app.api.requests.map(({ path }) => path.split('/').at(-1))), new Set(['sendMessage']))
})

test('presses that waited while the service was away are taken after its start, once', async (t) => {
  const app = await startTelegram(t)
  const msgapp = {
    enable: true,
    token: TOKEN,
    channel_id: '-1001',
    api_url: app.api.url,
    answers: { mode: 'poll' },
    ...FAST,
  }
  const file = configFile(folder(), { people: PEOPLE, alert: { msgapp } })
  const first = await startTestSystem(t, file)
  const { id, buttons, message } = await told(app, first.url)
  await app.polled()
  await first.stop()
  for (let nth = 0; nth < 15; nth++)
    app.bot.press(message, buttons.get('Acknowledge') ?? '', { ...ADA, id: ADA.id + nth })
  const second = await startTestSystem(t, file)
  app.stopFirst(() => second.stop())
  await until(() => app.bot.waiting === 0)
  const { answers, acked_by } = await incident(second.url, id)
  assert.equal(acked_by, 'Ada & Lovelace')
  assert.equal(answers.filter(({ result }) => result === 'done').length, 1)
})
