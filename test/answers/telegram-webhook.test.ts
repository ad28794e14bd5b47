import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Pressed } from '../../actors/main/answers/receiver.ts'
import { appError } from '../../src/simulator/bot.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { ADA, SECRET, startTelegram, type Telegram } from '../harness/telegram/app.ts'
import { until } from '../harness/until.ts'
import { HOST, startReceiver } from './telegram-receiver.ts'

const BUTTON = '1a.subject.mac'
const HEADER = 'x-telegram-bot-api-secret-token'
const query = {
  id: '81',
  from: { is_bot: false, ...ADA },
  message: { message_id: 1, chat: { id: -1001, type: 'supergroup' } },
  data: BUTTON,
}

async function started(
  t: TestContext,
  how: Parameters<typeof startReceiver>[1] = {},
  before?: (app: Telegram) => void,
) {
  const app = await startTelegram(t)
  before?.(app)
  const clock = new ManualClock()
  const again = () => startReceiver(app, { mode: 'webhook', publicHost: HOST, ...how, deps: { clock, ...how.deps } })
  const program = again()
  const send = (body: string | Uint8Array | object, secret = SECRET) =>
    program.receiver.take?.({
      headers: { [HEADER]: secret },
      body: Buffer.from(body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body)),
      params: {},
      query: '',
      address: '',
      network: '',
    }) ?? assert.fail('it takes no requests')
  /** Resolves with the delay after which the receiver looks again. */
  const delay = async () =>
    (
      await until(
        () => clock.dueInMs,
        ({ length }) => length > 0,
      )
    )[0] ?? 0
  return { app, clock, again, send, delay, sets: () => app.calls('setWebhook'), ...program }
}

test('the webhook is set with its secret, for presses alone; an equal one is left as it is', async (t) => {
  const { app, states, sets, delay, clock, again, stop } = await started(t)
  assert.equal(await delay(), 300_000)
  assert.equal(states.at(-1), 'up')
  const { url, ...rest } = app.bot.webhook
  assert.match(url, /^https:\/\/bell\.example\/api\/chat\/msgapp\?[\da-f]{4}$/)
  assert.deepEqual(rest, { secret_token: SECRET, allowed_updates: ['callback_query'] })
  clock.advance(300_000)
  await until(() => app.calls('getWebhookInfo').length === 2)
  await stop()
  again()
  await until(() => app.calls('getWebhookInfo').length === 3)
  await delay()
  assert.equal(sets().length, 1)
})

test('a webhook with another secret, another address or other updates is set once', async (t) => {
  for (const other of [
    { url: `${HOST}/api/chat/msgapp?0000` },
    { url: 'https://old.example/' },
    { allowed_updates: [] },
  ]) {
    const { app, sets, delay, stop } = await started(t)
    await delay()
    app.bot.webhook = { ...app.bot.webhook, ...other }
    await stop()
    const clock = new ManualClock()
    startReceiver(app, { mode: 'webhook', publicHost: HOST, deps: { clock } })
    await until(() => clock.dueInMs.length > 0)
    assert.equal(sets().length, 2)
    assert.match(app.bot.webhook.url, /^https:\/\/bell/)
  }
})

test('a webhook that another program sets later is left alone', async (t) => {
  const { app, states, sets, delay, clock } = await started(t)
  await delay()
  app.bot.webhook = { ...app.bot.webhook, url: 'https://other.example/hook' }
  for (let nth = 0; nth < 3; nth++) {
    clock.advance(300_000)
    assert.equal(await delay(), 300_000)
  }
  assert.equal(states.at(-1), 'refused: another program has the bot, with the webhook other.example')
  assert.equal(sets().length, 1)
})

test('an address that Telegram does not call is not set again and again', async (t) => {
  const { states, delay } = await started(t, {}, ({ api }) => {
    const bad = appError(400, 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook')
    api.script = ({ path }) => (path.endsWith('/setWebhook') ? bad : undefined)
  })
  assert.equal(await delay(), 300_000)
  assert.match(states.at(-1) ?? '', /^refused: Bad Request: bad webhook/)
})

test('it is not up while Telegram cannot hand presses over', async (t) => {
  const { app, delay, stop, again } = await started(t)
  await delay()
  await stop()
  const { webhook } = app.bot
  app.bot.webhook = { ...webhook, url: app.api.url.replace(/\d+$/, '1') }
  app.bot.press(1, BUTTON, ADA)
  await app.bot.push()
  app.bot.webhook = webhook
  const { states } = again()
  assert.equal(await delay(), 1_000)
  assert.deepEqual(states, ['connecting', 'backing_off: Wrong response from the webhook: none'])
})

test('a press is answered with 200 when it is stored, and refused as busy when it is not', async (t) => {
  const results: (Pressed | undefined)[] = [{ result: 'done', text: '' }, undefined, { result: 'forged', text: 'no' }]
  const { send, delay, presses } = await started(t, { press: async () => results.shift() })
  await delay()
  assert.equal((await send({ update_id: 1, callback_query: query })).status, 200)
  await assert.rejects(send({ update_id: 2, callback_query: query }), { code: 'answer_busy' })
  assert.equal((await send({ update_id: 2, callback_query: query })).status, 200)
  assert.equal(presses.length, 3)
})

test('without the secret nothing is read, whatever comes in its place', async (t) => {
  const { send, delay, presses } = await started(t)
  await delay()
  for (const secret of ['', SECRET.slice(1), `${SECRET}x`, SECRET.toUpperCase(), 'é', 'x'.repeat(100_000)])
    await assert.rejects(send({ callback_query: query }, secret), { code: 'answer_signature' })
  assert.equal(presses.length, 0)
})

test('before the bot is known, and after the end, a press stays with Telegram', async (t) => {
  const { send, stop, delay } = await started(t)
  await assert.rejects(send({ callback_query: query }), { code: 'answer_busy' })
  await delay()
  await stop()
  await assert.rejects(send({ callback_query: query }), { code: 'answer_busy' })
})

test('any bytes are a press or none, and the receiver goes on', async (t) => {
  const { send, delay, presses } = await started(t)
  await delay()
  const spoiled = fc
    .record({
      path: fc.constantFrom(
        'id',
        'from',
        'message',
        'data',
        'inline_message_id',
        'from.id',
        'message.chat',
        'message.message_id',
      ),
      value: fc.anything(),
    })
    .map(({ path, value }) => {
      const update = structuredClone({ callback_query: query as Record<string, unknown> })
      const [first = '', second] = path.split('.')
      const target =
        second === undefined ? update.callback_query : (update.callback_query[first] as Record<string, unknown>)
      target[second ?? first] = value
      return JSON.stringify(update, (_key, each) => (typeof each === 'bigint' ? String(each) : each))
    })
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.json(), spoiled), async (body) => {
      assert.equal((await send(body)).status, 200)
    }),
    { numRuns: 15 },
  )
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 120 }), async (data) => {
      assert.equal((await send({ callback_query: { ...query, data } })).status, 200)
    }),
  )
  const before = presses.length
  await send({ callback_query: query })
  assert.equal(presses.length, before + 1)
})
