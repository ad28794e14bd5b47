import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ADA, SECRET, startTelegram, type Telegram } from '../harness/telegram/app.ts'
import { until } from '../harness/until.ts'

/** A program that takes presses: an official client, or the service's own receiver. */
interface Subject {
  readonly name: string
  /** Starts to poll; `pressed` gets the token of each press that it takes. `ended` says why it polls no more. */
  poll(app: Telegram, pressed: string[]): Promise<{ ended(): string | undefined }>
  /** Serves the webhook, and sets it with the secret. */
  webhook(app: Telegram, pressed: string[]): Promise<void>
}

const BUTTON = '1a.subject.mac'

/** What a program that takes presses from Telegram has to live through. */
export function telegramScenarios({ name, poll, webhook }: Subject): void {
  async function polling(t: TestContext) {
    const app = await startTelegram(t)
    const pressed: string[] = []
    const program = await poll(app, pressed)
    await app.polled()
    return { app, pressed, program }
  }

  test(`${name}: a press comes by a poll, is answered and confirmed, and comes once`, async (t) => {
    const { app, pressed } = await polling(t)
    for (const nth of [1, 2]) {
      app.bot.press(1, BUTTON, ADA)
      await until(() => app.bot.said.length === nth)
    }
    assert.deepEqual(pressed, [BUTTON, BUTTON])
    assert.equal(new Set(app.bot.said.map((said) => said.callback_query_id)).size, 2)
    await until(() => app.bot.waiting === 0)
  })

  test(`${name}: presses that waited come with the first poll`, async (t) => {
    const app = await startTelegram(t)
    for (let nth = 0; nth < 30; nth++) app.bot.press(1, BUTTON, ADA)
    const pressed: string[] = []
    await poll(app, pressed)
    await until(() => app.bot.waiting === 0)
    assert.equal(pressed.length, 30)
  })

  test(`${name}: an update of another kind ends nothing`, async (t) => {
    const { app, pressed } = await polling(t)
    app.bot.receive({ message: { message_id: 7, date: 1, chat: { id: 1, type: 'private' }, text: '/start' } })
    app.bot.press(1, BUTTON, ADA)
    await until(() => app.bot.waiting === 0 && app.bot.said.length === 1)
    assert.deepEqual(pressed, [BUTTON])
  })

  test(`${name}: a program that polls the same bot ends its poll with 409`, async (t) => {
    const { app, program } = await polling(t)
    const polls = app.calls('getUpdates').length
    assert.equal((await app.call('getUpdates', { timeout: 0 })).ok, true)
    assert.match((await until(program.ended)) ?? '', /Conflict: terminated by other getUpdates/)
    assert.equal(app.calls('getUpdates').length, polls + 1)
  })

  test(`${name}: the webhook brings presses with its secret`, async (t) => {
    const app = await startTelegram(t)
    const pressed: string[] = []
    await webhook(app, pressed)
    app.bot.press(1, BUTTON, ADA)
    await until(() => app.bot.said.length === 1 && app.bot.waiting === 0)
    assert.deepEqual(pressed, [BUTTON])
    assert.equal((await app.call('getUpdates')).ok, false)
  })

  test(`${name}: a request without the secret brings nothing, and stays with Telegram`, async (t) => {
    const app = await startTelegram(t)
    const pressed: string[] = []
    await webhook(app, pressed)
    app.bot.webhook = { ...app.bot.webhook, secret_token: 'another' }
    app.bot.press(1, BUTTON, ADA)
    await app.bot.push()
    assert.deepEqual([pressed, app.bot.waiting], [[], 1])
    app.bot.webhook = { ...app.bot.webhook, secret_token: SECRET }
    await app.bot.push()
    assert.deepEqual([pressed, app.bot.waiting], [[BUTTON], 0])
  })
}
