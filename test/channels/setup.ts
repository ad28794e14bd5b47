import { after } from 'node:test'
import { ADAPTERS } from '../../src/channels/adapters/index.ts'
import type { Adapter, Channel, ChannelDeps } from '../../src/channels/channel.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import { CHANNEL_NAMES, type ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { Message } from '../../src/domain/delivery/message.ts'
import { DIRECT } from '../../src/outbound/network.ts'
import { createPost } from '../../src/outbound/post.ts'
import type { Provider } from '../../src/simulator/index.ts'
import type { FAULTS } from '../harness/stand-ins/faults.ts'

export const post = createPost()
after(() => post.close())

const loaded = CHANNEL_NAMES.map(async (name) => [name, await ADAPTERS[name]()] as const)
const ADAPTER = Object.fromEntries(await Promise.all(loaded)) as { [name in ChannelName]: Adapter<unknown> }

/** 1 November 2026, 12:00:00 UTC. */
export const NOW = Date.UTC(2026, 10, 1, 12)

export const SECRETS = {
  chatws: 'xoxb-contract-token',
  msgapp: '770011:contract-token',
  messenger: 'viber-contract-token',
  officechat: 'flow/signature+of=contract',
  workchat: 'lark-contract-token',
  ntfy: 'tk_contracttoken',
  email: 'smtp-contract-"password"',
}

/** Returns the keys below `alert.<kind>` that send a channel's messages to a stand-in. */
export function keysFor(kind: keyof typeof FAULTS, { url, port }: Pick<Provider, 'url' | 'port'>): object {
  const other_channel_ids = { night: 'other-place' }
  switch (kind) {
    case 'chatws':
    case 'msgapp':
    case 'messenger':
      return { token: SECRETS[kind], channel_id: 'main-place', api_url: url, other_channel_ids }
    case 'officechat':
      return { flow_url: flowUrl(url, 'main-place'), other_flow_urls: { night: flowUrl(url, 'other-place') } }
    case 'workchat':
      return { token: SECRETS[kind], secret: 'lark-contract-secret', api_url: url }
    case 'ntfy':
      return { token: SECRETS[kind], topic: 'main-place', server_url: url, other_topics: { night: 'other-place' } }
    case 'email':
      return mailKeys(port)
    default:
      return kind satisfies never
  }
}

function flowUrl(url: string, place: string): string {
  return `${url}/workflows/${place}/triggers/manual/paths/invoke?api-version=1&sig=${encodeURIComponent(SECRETS.officechat)}`
}
function mailKeys(smtp_port: number): object {
  const login = { username: 'bell@example.test', password: SECRETS.email }
  return { smtp_host: '127.0.0.1', smtp_port, ...login, to: 'oncall@example.test', tls: 'opportunistic' }
}

/** Creates a channel from raw keys, as the configuration does. */
export function channelOf(name: ChannelName, keys: object, deps: Partial<ChannelDeps> = {}): Channel {
  const options = CHANNELS[name].options.parse(keys)
  return ADAPTER[name].create(options, {
    post,
    network: DIRECT,
    print: () => {},
    publicHost: '',
    now: () => NOW,
    ...deps,
  })
}

export function messageOf(over: Partial<Message> = {}): Message {
  return {
    incidentId: '01936a1f-0000-7000-8000-000000000001',
    createdAt: NOW,
    title: 'Checkout is slow',
    service: 'checkout',
    severity: 'critical',
    status: 'firing',
    text: 'Checkout answers slowly on shard 7',
    ...over,
  }
}

/** A signal that never aborts. */
export const forever = new AbortController().signal
