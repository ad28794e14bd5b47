import { until } from '../harness/until.ts'
import { serveReceiver, startReceiver } from './telegram-receiver.ts'
import { telegramScenarios } from './telegram-scenarios.ts'

const press =
  (pressed: string[]) =>
  async ({ token }: { token: string }) => {
    pressed.push(token)
    return { result: 'done', text: 'done' } as const
  }

telegramScenarios({
  name: 'the receiver',
  async poll(app, pressed) {
    const { states } = startReceiver(app, { press: press(pressed) })
    return { ended: () => states.find((state) => state.startsWith('refused')) }
  },
  async webhook(app, pressed) {
    const { states } = await serveReceiver(app, { press: press(pressed) })
    await until(() => states.includes('up'))
  },
})
