import type { Server } from '../servers/server.ts'

const CONCURRENCY = 64
const UNBOUND = { enable: true, concurrency: CONCURRENCY, rate: { per_second: 1_000_000, burst: 1_000_000 } }

/** Channels in the order in which a trial adds them. */
export const CHANNELS = ['officechat', 'chatws', 'msgapp', 'workchat', 'messenger', 'email'] as const

/** `alert` of a configuration whose first so many channels deliver to the sink, with no limit of rate; `timed`: the first one tells the times. */
export async function alertConfigFor(
  sink: Server,
  channels: number,
  how: 'timed' | 'counted' = 'counted',
): Promise<object> {
  const smtp = await askSink<{ port: number }>(sink, '/smtp')
  const url = `http://127.0.0.1:${sink.port}`
  const keys = {
    officechat: { flow_url: how === 'timed' ? `${url}/officechat/timed` : `${url}/officechat` },
    chatws: { token: 'xoxb-bench', channel_id: 'C1', api_url: `${url}/chatws` },
    msgapp: { token: '1:bench', channel_id: '1', api_url: `${url}/msgapp` },
    workchat: { webhook_url: `${url}/workchat` },
    messenger: { token: 'bench', channel_id: '1', api_url: `${url}/messenger` },
    email: { smtp_host: '127.0.0.1', smtp_port: smtp.port, tls: 'none', from: 'a@example.net', to: 'b@example.net' },
  }
  const on = CHANNELS.slice(0, channels).map((name) => [name, { ...keys[name], ...UNBOUND }])
  return { ...Object.fromEntries(on), console: { enable: false } }
}

/** The same sinks for the bare loop: addresses, and how many requests to each may be under way. */
export async function plainPostsTo(
  sink: Server,
  channels: number,
): Promise<{ addresses: string[]; concurrency: number }> {
  const smtp = await askSink<{ port: number }>(sink, '/smtp')
  const addressOf = (name: (typeof CHANNELS)[number]) =>
    name === 'email' ? `smtp://127.0.0.1:${smtp.port}` : `http://127.0.0.1:${sink.port}/${name}`
  return { addresses: CHANNELS.slice(0, channels).map(addressOf), concurrency: CONCURRENCY }
}

/** Resolves when so many messages have come since the sink last forgot. */
export const untilReceived = (sink: Server, count: number) => askSink<{ bytes: number }>(sink, `/after/${count}`)
/** The sink counts from nothing again. */
export const resetSink = (sink: Server) => fetch(`http://127.0.0.1:${sink.port}/forget`)

export async function askSink<T>({ port }: Server, path: string): Promise<T> {
  return (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as T
}
