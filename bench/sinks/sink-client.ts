import type { Server } from '../servers/server.ts'

const CONCURRENCY = 64
const UNLIMITED = { enable: true, concurrency: CONCURRENCY, rate: { per_second: 1_000_000, burst: 1_000_000 } }

/** Channels in the order in which trials add them. */
export const CHANNELS = ['officechat', 'chatws', 'msgapp', 'workchat', 'messenger', 'email'] as const

/**
 * `alert` section whose first `channels` channels deliver to the sink without a rate limit. `timed`: the first one
 * records latencies. `url` stands in for the sink's address, except for mail.
 */
export async function alertConfigFor(
  sink: Server,
  channels: number,
  mode: 'timed' | 'counted' = 'counted',
  url = sink.url,
): Promise<object> {
  const smtp = await askSink<{ port: number }>(sink, '/smtp')
  const keys = {
    officechat: { flow_url: mode === 'timed' ? `${url}/officechat/timed` : `${url}/officechat` },
    chatws: { token: 'xoxb-bench', channel_id: 'C1', api_url: `${url}/chatws` },
    msgapp: { token: '1:bench', channel_id: '1', api_url: `${url}/msgapp` },
    workchat: { webhook_url: `${url}/workchat` },
    messenger: { token: 'bench', channel_id: '1', api_url: `${url}/messenger` },
    email: { smtp_host: '127.0.0.1', smtp_port: smtp.port, tls: 'none', from: 'a@example.net', to: 'b@example.net' },
  }
  const enabled = CHANNELS.slice(0, channels).map((name) => [name, { ...keys[name], ...UNLIMITED }])
  return { ...Object.fromEntries(enabled), console: { enable: false } }
}

/** Addresses of the same sinks for the bare loop, and the number of requests that it keeps under way to each. */
export async function baselineTargets(
  sink: Server,
  channels: number,
): Promise<{ addresses: string[]; concurrency: number }> {
  const smtp = await askSink<{ port: number }>(sink, '/smtp')
  const addressOf = (name: (typeof CHANNELS)[number]) =>
    name === 'email' ? `smtp://127.0.0.1:${smtp.port}` : `${sink.url}/${name}`
  return { addresses: CHANNELS.slice(0, channels).map(addressOf), concurrency: CONCURRENCY }
}

/** Resolves when `count` messages have arrived since the last `resetSink`. */
export const untilReceived = (sink: Server, count: number) => askSink<{ bytes: number }>(sink, `/after/${count}`)
/** Sets the sink's count to 0. */
export const resetSink = (sink: Server) => fetch(`${sink.url}/forget`)

export async function askSink<T>({ url }: Server, path: string): Promise<T> {
  const text = await (await fetch(url + path)).text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}
