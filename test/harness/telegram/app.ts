import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { startProvider } from '../../../src/simulator/index.ts'
import { until } from '../until.ts'

export const TOKEN = '770011:stand-in-token'
export const SECRET = 'stand-in_secret-of-the-webhook'
export const ADA = { id: 123456789, first_name: 'Ada', last_name: 'Lovelace' }

/** A bot of Telegram in one group, with one message in it. */
export async function startTelegram(t: TestContext) {
  const api = await startProvider('msgapp')
  const bot = api.bot ?? assert.fail('the stand-in has no bot')
  const stops: (() => Promise<unknown>)[] = []
  t.after(async () => {
    await Promise.all(stops.map((stop) => stop()))
    await api.close()
  })
  const calls = (method: string) => api.requests.filter(({ path }) => path.endsWith(`/${method}`))
  /** Calls a method as another program does that has the token. */
  async function call(method: string, json: object = {}): Promise<{ readonly ok: boolean; readonly result: unknown }> {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${api.url}/bot${TOKEN}/${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(json),
    })
    return (await answer.json()) as { ok: boolean; result: unknown }
  }
  await call('sendMessage', { chat_id: '-1001', text: 'Checkout is slow' })
  return {
    api,
    bot,
    calls,
    call,
    /** Resolves when a program polls and its request waits. */
    polled: () => until(() => bot.isPolled),
    /** Stops a program before the stand-in ends. */
    stopFirst: (stop: () => Promise<unknown>) => void stops.push(stop),
    /** Serves a program that a webhook calls; returns its address. */
    async serve(listener: RequestListener): Promise<string> {
      const server = createServer(listener).listen(0, '127.0.0.1')
      await until(() => server.listening)
      stops.push(async () => server.close().closeAllConnections())
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat/msgapp`
    },
  }
}
export type Telegram = Awaited<ReturnType<typeof startTelegram>>
