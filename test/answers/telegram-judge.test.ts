import { Bot, webhookCallback } from 'grammy'
import { SECRET, type Telegram, TOKEN } from '../harness/telegram/app.ts'
import { telegramScenarios } from './telegram-scenarios.ts'

function botOf({ api }: Telegram, pressed: string[]): Bot {
  const bot = new Bot(TOKEN, { client: { apiRoot: api.url } })
  bot.on('callback_query:data', (context) => {
    pressed.push(context.callbackQuery.data)
    return context.answerCallbackQuery({ text: 'done' })
  })
  return bot
}

// The stand-in is right when a client that people use lives with it.
telegramScenarios({
  name: 'grammY',
  async poll(app, pressed) {
    const bot = botOf(app, pressed)
    let ended: string | undefined
    void bot.start().catch((error) => {
      ended = String(error)
    })
    app.stopFirst(() => bot.stop())
    return { ended: () => ended }
  },
  async webhook(app, pressed) {
    const bot = botOf(app, pressed)
    const callback = webhookCallback(bot, 'http', { secretToken: SECRET })
    const url = await app.serve((request, response) => void callback(request, response))
    await bot.api.setWebhook(url, { secret_token: SECRET, allowed_updates: ['callback_query'] })
  },
})
