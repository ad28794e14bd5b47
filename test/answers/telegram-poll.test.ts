import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pressed } from '../../actors/main/answers/receiver.ts'
import { appError } from '../../src/simulator/bot.ts'
import { ADA } from '../harness/telegram/app.ts'
import { until } from '../harness/until.ts'
import { failing, HOST, startPoll } from './telegram-receiver.ts'

const BUTTON = '1a.subject.mac'

test('it is up when one short poll has worked; long ones follow, for presses alone', async (t) => {
  const { app, states, polls } = await startPoll(t)
  await app.polled()
  assert.deepEqual(states.slice(0, 2), ['connecting', 'up'])
  const json = { offset: 0, limit: 20, allowed_updates: ['callback_query'] }
  assert.deepEqual(polls(), [
    { ...json, timeout: 0 },
    { ...json, timeout: 30 },
  ])
})

test('a press has its token, its person, its chat, its message and a key of its own', async (t) => {
  const { app, presses } = await startPoll(t)
  app.bot.press(1, BUTTON, ADA)
  await app.call('sendMessage', { chat_id: '42', text: 'to one person' })
  app.bot.press(2, BUTTON, { id: 7, first_name: 'Ben' })
  await until(() => presses.length === 2)
  assert.deepEqual(presses, [
    {
      token: BUTTON,
      key: 'msgapp 770011 8000000000',
      actor: { id: '123456789', name: 'Ada Lovelace' },
      place: '-1001',
      isDirect: false,
      messageId: '1',
    },
    {
      token: BUTTON,
      key: 'msgapp 770011 8000000001',
      actor: { id: '7', name: 'Ben' },
      place: '42',
      isDirect: true,
      messageId: '2',
    },
  ])
})

test('the person reads the result; refusals, and the id that a test names, stay until they are closed', async (t) => {
  const results: Pressed['result'][] = ['done', 'already', 'over', 'forged', 'done']
  const { app } = await startPoll(t, {
    press: async () => ({ result: results.shift() ?? 'unknown', text: `${'x'.repeat(199)}😀 too long` }),
  })
  for (const token of [BUTTON, BUTTON, BUTTON, BUTTON, '1t.subject.mac']) app.bot.press(1, token, ADA)
  await until(() => app.bot.said.length === 5)
  const sorted = app.bot.said.toSorted((one, other) => (one.callback_query_id < other.callback_query_id ? -1 : 1))
  assert.deepEqual(
    sorted.map(({ show_alert }) => show_alert),
    [false, false, true, true, true],
  )
  for (const { text } of sorted) assert.equal(text, `${'x'.repeat(199)}\ufffd`)
})

test('what was not stored is asked for again, after 1 to 30 s, and what came before it is confirmed', async (t) => {
  let isDown = true
  const { app, polls, delay, retried, presses } = await startPoll(t, {
    press: async ({ token }) => (token === BUTTON && isDown ? undefined : { result: 'done', text: '' }),
  })
  await app.polled()
  app.bot.press(1, '1a.first.mac', ADA)
  await until(() => polls().at(-1)?.offset === 500_000_001)
  app.bot.press(1, '1a.second.mac', ADA)
  app.bot.press(1, BUTTON, ADA)
  const delays = []
  for (let nth = 0; nth < 7; nth++) delays.push(await retried())
  assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  await delay()
  assert.equal(app.bot.waiting, 1)
  isDown = false
  await retried()
  await until(() => app.bot.waiting === 0)
  assert.equal(new Set(presses.filter(({ token }) => token === BUTTON).map(({ key }) => key)).size, 1)
})

test('a webhook of this service is deleted with its presses kept', async (t) => {
  const { app, presses } = await startPoll(t, {}, ({ bot }) => {
    bot.webhook = { ...bot.webhook, url: `${HOST}/api/chat/msgapp?1a2b` }
  })
  app.bot.press(1, BUTTON, ADA)
  await until(() => presses.length === 1)
  assert.deepEqual(
    app.calls('deleteWebhook').map(({ json }) => json),
    [{}],
  )
})

for (const url of ['https://other.example/hook', `${HOST}/api/chat/msgapp/other`, 'not an address'])
  test(`the webhook ${url} is left alone until its program deletes it`, async (t) => {
    const { app, states, delay, clock, polls } = await startPoll(t, {}, ({ bot }) => {
      bot.webhook = { ...bot.webhook, url }
    })
    assert.equal(await delay(), 300_000)
    const host = URL.parse(url)?.host ?? 'none'
    assert.equal(states.at(-1), `refused: another program has the bot, with the webhook ${host}`)
    assert.deepEqual([app.calls('deleteWebhook').length, polls().length, app.bot.webhook.url], [0, 0, url])
    app.bot.webhook = { ...app.bot.webhook, url: '' }
    clock.advance(300_000)
    await until(() => states.includes('up'))
  })

test('a sentence that does not reach its person is counted; one that comes too late is not', async (t) => {
  const { app, dropped } = await startPoll(t)
  const LATE = appError(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid')
  failing(app, 'answerCallbackQuery', LATE, appError(500, 'Internal Server Error'))
  for (const nth of [1, 2]) {
    app.bot.press(1, BUTTON, ADA)
    await until(() => app.calls('answerCallbackQuery').length === nth)
  }
  await until(() => dropped() === 1)
})

test('at its end the poll stops at once, and presses under way are answered', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Pressed>()
  const { app, presses, stop, states, polls } = await startPoll(t, { press: () => promise })
  await app.polled()
  app.bot.press(1, BUTTON, ADA)
  await until(() => presses.length === 1)
  let ended = false
  const stopping = stop().then(() => {
    ended = true
  })
  await app.call('getMe')
  assert.equal(ended, false)
  resolve({ result: 'done', text: 'done' })
  await stopping
  const asked = polls().length
  assert.equal(states.at(-1), 'up')
  assert.equal(polls().length, asked)
})

test('at its end a poll that waits is given up', async (t) => {
  const { app, stop, clock, states } = await startPoll(t)
  await app.polled()
  await stop()
  assert.deepEqual([states.at(-1), clock.dueInMs], ['up', []])
})
