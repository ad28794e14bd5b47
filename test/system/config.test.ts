import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EffectiveConfig } from '../../src/api/config.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, SECRET } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'

test('the effective configuration is shown with where each value comes from, and without its secrets', async (t) => {
  const { alert } = await twoChannels(t)
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir, { alert, no_such_key: 1 }))
  const shown = () => admin<EffectiveConfig>(system.url, '/api/admin/config')
  const { config, origins, warnings } = await shown()
  const at = (path: string) =>
    path.split('.').reduce((value: unknown, key) => (value as Record<string, unknown>)[key], config)
  assert.deepEqual(
    ['gateway_secret', 'alert.chatws.token', 'alert.chatws.channel_id', 'alert.msgapp.token', 'delivery.timeout'].map(
      at,
    ),
    ['set', 'set', 'C1', '', '5s'],
  )
  assert.deepEqual(
    ['gateway_secret', 'alert.chatws.token', 'alert.msgapp.token', 'log.level'].map((path) => origins[path]),
    ['file', 'file', 'default', 'file'],
  )
  assert.match(warnings.join('\n'), /no_such_key/)
  const text = JSON.stringify({ config, origins, warnings })
  for (const secret of [SECRET, 'xoxb-test', 'sig=test']) assert.ok(!text.includes(secret), secret)
  await system.reloadFrom(configFile(dir, { alert, port: 1, templates: { deadline: '400ms' } }))
  const after = await shown()
  assert.deepEqual(
    [(after.config as { templates: { deadline: string } }).templates.deadline, after.warnings],
    ['400ms', ['port has changed: it takes effect when the service is started again']],
  )
})
