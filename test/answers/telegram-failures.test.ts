import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { appError } from '../../src/simulator/bot.ts'
import { ADA, TOKEN } from '../harness/telegram/app.ts'
import { until } from '../harness/until.ts'
import { failing, startPoll } from './telegram-receiver.ts'

const BUTTON = '1a.subject.mac'
const CONFLICT = appError(409, 'Conflict: terminated by other getUpdates request')

test('a program that polls the same bot is left alone for 30 s, then for longer', async (t) => {
  const { app, retried, states } = await startPoll(t)
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
    const { states, retried, polls } = await startPoll(t, {}, (app) =>
      failing(app, 'getMe', appError(code, why), appError(code, why)),
    )
    assert.deepEqual([await retried(), await retried()], [300_000, 300_000])
    assert.deepEqual(states.slice(0, 2), ['connecting', `refused: ${why}`])
    await until(() => states.includes('up'))
    assert.ok(polls().length > 0)
  })

test('a time that Telegram names is waited for, up to five minutes', async (t) => {
  const slow = (retry_after: unknown) => appError(429, 'Too Many Requests', { parameters: { retry_after } })
  const { retried } = await startPoll(t, {}, (app) => failing(app, 'getMe', slow(7), slow(9_999_999), slow('soon')))
  assert.deepEqual([await retried(), await retried(), await retried()], [7_000, 300_000, 4_000])
})

test('without Telegram it goes on, and says why without the token', async (t) => {
  const { app, states, retried } = await startPoll(t, {}, (app) =>
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
  const { app, polls, retried, presses } = await startPoll(t, {}, ({ bot }) => {
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
  const { app, lines } = await startPoll(t, {
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
  const { app, retried, lines, presses } = await startPoll(
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
  const { app, retried } = await startPoll(t)
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
  const { app, clock, presses } = await startPoll(t, {}, (app) => {
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
