import { startReceiver } from './receiver.ts'
import { socketModeScenarios } from './slack-scenarios.ts'

socketModeScenarios({
  name: 'the receiver',
  connections: 2,
  async start(app, pressed) {
    startReceiver(app, {
      async press({ token }) {
        pressed.push(token)
        return { result: 'done', text: '' }
      },
    })
  },
})
