import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import type { Provider } from '../../src/simulator/index.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { post } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'

test('a reload while a provider hangs ends, and deliveries go on', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  chat.script = () => ({ hang: true })
  const dir = folder()
  const delivery = { attempts: 1000, backoff: { initial: '20ms', max: '200ms' }, timeout: '60s' }
  const system = await startTestSystem(t, configFile(dir, { alert, delivery }))
  await post(system.url, { ServiceName: 'before-the-reload' })
  await chat.waitFor(({ body }) => body.includes('before-the-reload'))
  chat.script = undefined
  await system.reloadFrom(configFile(dir, { alert, delivery, public_host: 'http://elsewhere' }))
  await post(system.url, { ServiceName: 'after-the-reload' })
  for (const provider of [chat, flow]) await provider.waitFor(({ body }) => body.includes('after-the-reload'))
})

test('a backlog goes at the rate of the configuration that is loaded', async (t) => {
  const { flow, alert } = await twoChannels(t)
  const dir = folder()
  const slow = { ...alert.officechat, rate: { per_second: 0.01, burst: 1 } }
  const system = await startTestSystem(t, configFile(dir, { alert: { officechat: slow } }))
  for (const name of ['first', 'second', 'third', 'fourth']) await post(system.url, { ServiceName: `${name}-end` })
  await flow.waitFor(({ body }) => body.includes('first-end'))
  await system.reloadFrom(configFile(dir, { alert: { officechat: alert.officechat } }))
  await flow.waitFor(({ body }) => body.includes('fourth-end'))
})

for (const [what, fault] of [
  ['send', { options: { others: new Map(), answers: { mode: 'off' }, toString: () => 'cannot cross a thread' } }],
  ['store', { mailbox: -1_000 }],
] as const) {
  test(`a reload with which the ${what} thread cannot start goes back to what ran before`, async (t) => {
    const { flow, alert } = await twoChannels(t)
    const file = configFile(folder(), { alert: { officechat: alert.officechat } })
    const system = await startTestSystem(t, file)
    const { config } = loadConfig({ file, env: {} })
    const { chatws } = config.alert.channels
    const channels = { ...config.alert.channels, chatws: { ...chatws, enable: true, ...fault } }
    await assert.rejects(system.reload({ ...config, alert: { ...config.alert, channels } }, []))
    await delivers(system.url, flow)
    assert.equal((await fetch(`${system.url}/readyz`)).status, 200)
  })
}

test('concurrent reloads run one after the other, and the last one stays', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir, { alert: { officechat: alert.officechat } }))
  const ids = ['C1', 'C2', 'C3']
  const reloads = ids.map((channel_id) =>
    system.reloadFrom(configFile(dir, { alert: { ...alert, chatws: { ...alert.chatws, channel_id } } })),
  )
  await Promise.all(reloads)
  await post(system.url, { ServiceName: 'after-all' })
  const { body } = await chat.waitFor(({ body }) => body.includes('after-all'))
  assert.equal(JSON.parse(body).channel, 'C3')
  await flow.waitFor(({ body }) => body.includes('after-all'))
})

test('a stop in the middle of a reload ends all threads, and the reload is refused', async (t) => {
  const { alert } = await twoChannels(t)
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir, { alert: { officechat: alert.officechat } }))
  const reload = assert.rejects(system.reloadFrom(configFile(dir, { alert })))
  await Promise.all([system.stop(), reload])
  await assert.rejects(system.reloadFrom(configFile(dir, { alert })), { code: 'shutting_down' })
})

test('keys that need a restart are warned about and stay', async (t) => {
  const { flow, alert } = await twoChannels(t)
  const [dir, elsewhere] = [folder(), folder()]
  const system = await startTestSystem(t, configFile(dir, { alert: { officechat: alert.officechat } }))
  const http = { max_inflight: 7, threads: 2 }
  const storage = { file: { data_dir: join(elsewhere, 'data') } }
  const topicsvc = { https_endpoint_subscription_path: '/elsewhere' }
  await system.reloadFrom(
    configFile(dir, { alert: { officechat: alert.officechat }, host: '127.0.0.2', port: 1, http, storage, topicsvc }),
  )
  const warned = system.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message.split(' ')[0])
  assert.deepEqual(warned, [
    'host',
    'port',
    'http.threads',
    'http.max_inflight',
    'storage.file.data_dir',
    'topicsvc.https_endpoint_subscription_path',
  ])
  await delivers(system.url, flow)
})

async function delivers(url: string, flow: Provider): Promise<void> {
  assert.equal((await post(url, { ServiceName: 'still-here' })).status, 201)
  await flow.waitFor(({ body }) => body.includes('still-here'))
}
