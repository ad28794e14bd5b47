import { startChatws } from '../../actors/main/answers/chatws.ts'
import type { Pressed, Receiver, ReceiverDeps } from '../../actors/main/answers/receiver.ts'
import type { Press } from '../../src/answers/press.ts'
import { chatws } from '../../src/channels/kinds/chatws.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { openHttpClient } from '../../src/outbound/http-client.ts'
import { DIRECT, type NetworkSettings } from '../../src/outbound/network.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { APP, type SlackApp } from '../harness/slack/app.ts'

interface How {
  readonly mode?: 'socket' | 'http'
  readonly connections?: number
  readonly appToken?: string
  readonly network?: NetworkSettings
  readonly press?: (press: Press) => Promise<Pressed | undefined>
  readonly deps?: Partial<ReceiverDeps>
}

/** Starts the receiver for an app; it is closed before the app. Presses are stored unless `press` does something else. */
export function startReceiver(app: SlackApp, how: How = {}) {
  const { mode = 'socket', connections = 2, appToken = APP.appToken, network = DIRECT } = how
  const states: string[] = []
  const presses: Press[] = []
  const lines: { readonly why?: string; readonly error?: string }[] = []
  let dropped = 0
  const line = (fields: object) => void lines.push(fields)
  const http = openHttpClient({ connections: 4 }, network)
  const options = chatws.options.parse({
    token: APP.token,
    channel_id: 'C0ALERTS',
    api_url: app.chat.url,
    answers: { mode, connections, app_token: appToken, signing_secret: APP.signingSecret },
  })
  const receiver: Receiver = startChatws(options, {
    async press(press) {
      presses.push(press)
      return how.press ? how.press(press) : { result: 'done', text: 'done' }
    },
    http,
    network,
    publicHost: '',
    clock: systemClock,
    log: { debug: line, info: line, warn: line, error: line } as unknown as Log,
    random: () => 0,
    replyDropped: () => dropped++,
    changed: ({ state, lastError }) => void states.push(lastError === undefined ? state : `${state}: ${lastError}`),
    ...how.deps,
  })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= receiver.close().then(() => http.destroy()))
  app.sockets.stopFirst(stop)
  return { receiver, states, presses, lines, stop, dropped: () => dropped }
}
