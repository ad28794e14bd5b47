import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Provider } from '../../../src/simulator/index.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'

test('a reload with one broken template changes nothing; without it, it changes everything', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const dir = folder()
  const template_path = join(dir, 'broken.tmpl')
  writeFileSync(template_path, '{{ if }')
  const { officechat, chatws } = alert
  const system = await startTestSystem(t, configFile(dir, { alert: { officechat } }))
  const arrives = async (name: string, providers: readonly Provider[]) => {
    assert.equal((await post(system.url, { ServiceName: name })).status, 201)
    for (const provider of providers) await provider.waitFor(({ body }) => body.includes(name))
  }
  const broken = { officechat: { ...officechat, template_path }, chatws }
  await assert.rejects(system.reloadFrom(configFile(dir, { alert: broken, gateway_secret: 'another-secret' })), {
    code: 'template_invalid',
  })
  await arrives('after-the-refusal', [flow])
  assert.equal((await fetch(`${system.url}/readyz`)).status, 200)
  assert.equal(chat.requests.length, 0)

  await system.reloadFrom(configFile(dir, { alert: { officechat, chatws: { ...chatws, channel_id: 'C2' } } }))
  await arrives('after-the-reload', [flow, chat])
  assert.equal(JSON.parse(chat.requests[0]?.body ?? '').channel, 'C2')
})
