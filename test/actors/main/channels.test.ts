import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelRoutes } from '../../../actors/main/api/channels.ts'
import type { ChannelList } from '../../../src/api/channel.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { CHANNEL_NAMES } from '../../../src/domain/delivery/delivery.ts'

const NOW = Date.UTC(2030, 0, 1)

test('a channel with a mode shows the state of its way back, and the others have none', async () => {
  const { config } = loadConfig({ env: {}, readFile: () => '' })
  const health = { sent: 0, retried: 0, dead: 0, renderedPlain: 0, deadNow: 0, backlog: { pending: 0, sending: 0 } }
  const storage = { channels: Object.fromEntries(CHANNEL_NAMES.map((name) => [name, health])), destinations: [] }
  const list = channelRoutes({
    askStorage: (async ({ kind }: { kind: keyof typeof storage }) => storage[kind]) as never,
    askSenders: (async () => []) as never,
    settings: () => config,
    now: () => NOW,
    receivers: () =>
      new Map([['chatws', { mode: 'socket', state: 'refused', since: NOW - 1_000, lastError: 'invalid_auth' }]]),
  }).find(({ method }) => method === 'GET')
  assert.ok(list)
  const request = { params: {}, query: new URLSearchParams(), headers: {}, body: undefined, contentType: '' }
  const { channels } = (await list.answer(request as never)).json as ChannelList
  assert.deepEqual(
    channels.flatMap(({ name, receiver }) => (receiver === null ? [] : [[name, receiver]])),
    [['chatws', { mode: 'socket', state: 'refused', since: '2029-12-31T23:59:59.000Z', last_error: 'invalid_auth' }]],
  )
  assert.equal(channels.length, CHANNEL_NAMES.length)
})
