import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Pressed } from '../../actors/main/answers/receiver.ts'
import { appError } from '../../src/simulator/bot.ts'
import type { Reply } from '../../src/simulator/exchange.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { ADA, startTelegram, type Telegram, TOKEN } from '../harness/telegram/app.ts'
import { until } from '../harness/until.ts'
import { startReceiver } from './telegram-receiver.ts'

const BUTTON = '1a.subject.mac'
const HOST = 'https://bell.example'
const CONFLICT = appError(409, 'Conflict: terminated by other getUpdates request')

async function started(
  t: TestContext,
  how: Parameters<typeof startReceiver>[1] = {},
  before?: (app: Telegram) => void,
) {
  const app = await startTelegram(t)
  before?.(app)
  const clock = new ManualClock()
  const program = startReceiver(app, { publicHost: HOST, ...how, deps: { clock, ...how.deps } })
  /** Resolves with the delay after which the receiver tries again. */
  async function delay(): Promise<number> {
    const [ms = 0] = await until(
      () => clock.dueInMs,
      ({ length }) => length > 0,
    )
    return ms
  }
  async function retried(): Promise<number> {
    const ms = await delay()
    clock.advance(ms)
    return ms
  }
  const polls = () =>
    app.calls('getUpdates').map(({ json }) => json as { offset: number; limit: number; timeout: number })
  return { app, clock, delay, retried, polls, ...program }
}

/** Answers calls of a method with errors, in turn; undefined and none left: with its success. */
function failing(app: Telegram, method: string, ...replies: (Reply | undefined)[]): void {
  app.api.script = ({ path }) => (path.endsWith(`/${method}`) ? replies.shift() : undefined)
}

test('it is up when one short poll has worked; long ones follow, for presses alone', async (t) => {
  const { app, states, polls } = await started(t)
  await app.polled()
  assert.deepEqual(states.slice(0, 2), ['connecting', 'up'])
  const json = { offset: 0, limit: 20, allowed_updates: ['callback_query'] }
  assert.deepEqual(polls(), [
    { ...json, timeout: 0 },
    { ...json, timeout: 30 },
  ])
})

test('a press has its token, its person, its chat, its message and a key of its own', async (t) => {
  const { app, presses } = await started(t)
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
  const { app } = await started(t, {
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
  const { app, polls, delay, retried, presses } = await started(t, {
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
  const { app, presses } = await started(t, {}, ({ bot }) => {
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
    const { app, states, delay, clock, polls } = await started(t, {}, ({ bot }) => {
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

test('a program that polls the same bot is left alone for 30 s, then for longer', async (t) => {
  const { app, retried, states } = await started(t)
  await app.polled()
  failing(app, 'getUpdates', undefined, ...Array(5).fill(CONFLICT))
  await app.call('getUpdates', { timeout: 0 })
  const delays = []
  for (let nth = 0; nth < 6; nth++) delays.push(await retried())
  assert.deepEqual(delays, [30_000, 60_000, 120_000, 240_000, 300_000, 300_000])
  assert.match(states.at(-1) ?? '', /^refused: Conflict: terminated by other getUpdates/)
})

for (const [code, why] of [
  [401, 'Unauthorized'],
  [404, 'Not Found'],
] as const)
  test(`a token that Telegram answers with ${code} is tried again every five minutes`, async (t) => {
    const { states, retried, polls } = await started(t, {}, (app) =>
      failing(app, 'getMe', appError(code, why), appError(code, why)),
    )
    assert.deepEqual([await retried(), await retried()], [300_000, 300_000])
    assert.deepEqual(states.slice(0, 2), ['connecting', `refused: ${why}`])
    await until(() => states.includes('up'))
    assert.ok(polls().length > 0)
  })

test('a time that Telegram names is waited for, up to five minutes', async (t) => {
  const slow = (retry_after: unknown) => appError(429, 'Too Many Requests', { parameters: { retry_after } })
  const { retried } = await started(t, {}, (app) => failing(app, 'getMe', slow(7), slow(9_999_999), slow('soon')))
  assert.deepEqual([await retried(), await retried(), await retried()], [7_000, 300_000, 4_000])
})

test('without Telegram it goes on, and says why without the token', async (t) => {
  const { app, states, retried } = await started(t, {}, (app) =>
    failing(
      app,
      'getMe',
      { reset: true },
      { status: 502, body: `bad gateway for ${TOKEN}` },
      { body: '[]' },
      {
        status: 500,
        body: { ok: false, description: `no ${TOKEN}` },
      },
    ),
  )
  for (let nth = 0; nth < 4; nth++) await retried()
  await until(() => states.includes('up'))
  assert.equal(states.filter((state) => state.startsWith('backing_off: ')).length, 4)
  assert.ok(!states.join().includes(TOKEN), states.join())
  app.bot.press(1, BUTTON, ADA)
  await until(() => app.bot.waiting === 0)
})

test('an answer above 1 MiB is asked for again update by update', async (t) => {
  const { app, polls, retried, presses } = await started(t, {}, ({ bot }) => {
    bot.receive({ message: { text: 'x'.repeat(600_000) } })
    bot.receive({ message: { text: 'x'.repeat(600_000) } })
    bot.press(1, BUTTON, ADA)
  })
  await retried()
  await until(() => presses.length === 1)
  assert.ok(polls().some(({ limit }) => limit === 1))
  await until(() => app.bot.waiting === 0)
})

test('a bug with one press costs that press alone', async (t) => {
  const { app, lines } = await started(t, {
    press({ token }) {
      if (token === 'bad') throw new Error('a bug')
      return Promise.resolve({ result: 'done', text: '' })
    },
  })
  for (const token of [BUTTON, 'bad', BUTTON]) app.bot.press(1, token, ADA)
  await until(() => app.bot.waiting === 0 && app.bot.said.length === 2)
  assert.deepEqual(lines, [{ error: 'a bug' }])
})

test('a press that cannot be stored five times, although others can, is given up', async (t) => {
  const { app, retried, lines, presses } = await started(
    t,
    { press: async ({ token }) => (token === 'bad' ? undefined : { result: 'done', text: '' }) },
    ({ bot }) => {
      for (const token of ['bad', BUTTON, 'bad']) bot.press(1, token, ADA)
    },
  )
  for (let nth = 0; nth < 6; nth++) await retried()
  await until(() => app.bot.waiting === 1)
  assert.equal(lines.length, 1)
  // Nothing else comes, so storage may be down.
  const asked = () => presses.filter(({ key }) => key.endsWith('2')).length
  for (let nth = 0; nth < 7; nth++) await retried()
  await until(() => asked() >= 12)
  assert.deepEqual([app.bot.waiting, lines.length], [1, 1])
})

test('updates without a number do not make it ask without a pause', async (t) => {
  const { app, retried } = await started(t)
  await app.polled()
  app.api.script = ({ path }) =>
    path.endsWith('getUpdates') ? { status: 200, body: { ok: true, result: [{}] } } : undefined
  await app.call('getMe')
  app.bot.receive({})
  assert.deepEqual([await retried(), await retried()], [1_000, 2_000])
})

test('any answer to a poll, and any update in it, leaves it polling', async (t) => {
  const anything = [
    ...fc.sample(fc.json(), 20),
    ...fc.sample(fc.array(fc.json(), { maxLength: 3 }), 20).map((all) => `[${all}]`),
  ]
  const updates = fc.sample(fc.dictionary(fc.constantFrom('callback_query', 'message'), fc.jsonValue()), 20)
  const { app, clock, presses } = await started(t, {}, (app) => {
    for (const update of updates) app.bot.receive(update)
    const replies = anything.map((result) => ({ status: 200, body: `{"ok":true,"result":${result}}` }))
    failing(app, 'getUpdates', ...replies, { status: 200, body: '\u0000' }, { status: 302, body: '' })
  })
  app.bot.press(1, BUTTON, ADA)
  const isTaken = () => {
    clock.advance(30_000)
    return presses.some(({ token }) => token === BUTTON)
  }
  await until(isTaken)
  await until(() => app.bot.waiting === 0)
})

test('a sentence that does not reach its person is counted; one that comes too late is not', async (t) => {
  const { app, dropped } = await started(t)
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
  const { app, presses, stop, states, polls } = await started(t, { press: () => promise })
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
  const { app, stop, clock, states } = await started(t)
  await app.polled()
  await stop()
  assert.deepEqual([states.at(-1), clock.dueInMs], ['up', []])
})
