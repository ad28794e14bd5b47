import type { TestContext } from 'node:test'
import { startMsgapp } from '../../actors/main/answers/msgapp.ts'
import type { Pressed, ReceiverDeps } from '../../actors/main/answers/receiver.ts'
import type { Press } from '../../src/answers/press.ts'
import { msgapp } from '../../src/channels/kinds/msgapp.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { openHttpClient } from '../../src/outbound/http-client.ts'
import { DIRECT } from '../../src/outbound/network.ts'
import type { Reply } from '../../src/simulator/exchange.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { SECRET, startTelegram, type Telegram, TOKEN } from '../harness/telegram/app.ts'
import { until } from '../harness/until.ts'

export const HOST = 'https://bell.example'

interface How {
  readonly mode?: 'poll' | 'webhook'
  readonly publicHost?: string
  readonly press?: (press: Press) => Promise<Pressed | undefined>
  readonly deps?: Partial<ReceiverDeps>
}

/** Starts the receiver for a bot; it is closed before the bot. Presses are stored unless `press` does something else. */
export function startReceiver(app: Telegram, { mode = 'poll', publicHost = '', press, deps }: How = {}) {
  const states: string[] = []
  const presses: Press[] = []
  const lines: { readonly error?: string }[] = []
  let dropped = 0
  const line = (fields: object) => void lines.push(fields)
  const http = openHttpClient({ connections: 4 })
  const options = msgapp.options.parse({
    token: TOKEN,
    channel_id: '-1001',
    api_url: app.api.url,
    answers: { mode, secret_token: SECRET },
  })
  const receiver = startMsgapp(options, {
    async press(given) {
      presses.push(given)
      return press ? press(given) : { result: 'done', text: 'done' }
    },
    http,
    network: DIRECT,
    publicHost,
    clock: systemClock,
    log: { debug: line, info: line, warn: line, error: line } as unknown as Log,
    random: () => 0,
    replyDropped: () => dropped++,
    changed: ({ state, lastError }) => void states.push(lastError === undefined ? state : `${state}: ${lastError}`),
    ...deps,
  })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= receiver.close().then(() => http.destroy()))
  app.stopFirst(stop)
  return { receiver, states, presses, lines, stop, dropped: () => dropped }
}

/** Serves the webhook of a receiver that is started with the address; errors are answered with their status. */
export async function serveReceiver(app: Telegram, how: How = {}) {
  let started: ReturnType<typeof startReceiver> | undefined
  const url = await app.serve(async (request, response) => {
    const chunks = await request.toArray()
    const headers = { 'x-telegram-bot-api-secret-token': String(request.headers['x-telegram-bot-api-secret-token']) }
    const given = { headers, body: Buffer.concat(chunks), params: {}, query: '', address: '', network: '' }
    const answer = await started?.receiver.take?.(given).catch(({ code }) => ({ status: STATUS[String(code)] ?? 500 }))
    response.writeHead(answer?.status ?? 404).end()
  })
  started = startReceiver(app, { mode: 'webhook', publicHost: new URL(url).origin, ...how })
  return started
}
const STATUS: { readonly [code: string]: number } = { answer_signature: 401, answer_busy: 503 }

/** Starts a receiver that polls, with a clock that stands still. `before` changes the bot. */
export async function startPoll(t: TestContext, how: How = {}, before?: (app: Telegram) => void) {
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
export function failing(app: Telegram, method: string, ...replies: (Reply | undefined)[]): void {
  app.api.script = ({ path }) => (path.endsWith(`/${method}`) ? replies.shift() : undefined)
}
