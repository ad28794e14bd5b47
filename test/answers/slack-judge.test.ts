import { SocketModeClient } from '@slack/socket-mode'
import { APP } from '../harness/slack/app.ts'
import { socketModeScenarios } from './slack-scenarios.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {}, getLevel: () => 'error' }

// The stand-in is right when Slack's own client lives with it.
socketModeScenarios({
  name: 'the official client',
  connections: 1,
  async start({ chat, sockets }, pressed) {
    const client = new SocketModeClient({
      appToken: APP.appToken,
      clientPingTimeout: 50,
      clientOptions: { slackApiUrl: `${chat.url}/api/` },
      logger: quiet as never,
    })
    client.on('interactive', ({ body, ack }) => {
      pressed.push(body.actions[0].value)
      ack()
    })
    sockets.stopFirst(() => client.disconnect())
    await client.start().catch(() => {})
  },
})
