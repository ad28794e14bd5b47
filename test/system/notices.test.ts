import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, post } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'

test('dead deliveries are reported through a channel that works, whatever its template prints', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  chat.script = () => ({ body: { ok: false, error: 'is_archived' } })
  const dir = folder()
  const template_path = join(dir, 'short.tmpl')
  writeFileSync(template_path, 'only {{ .ServiceName }}\n')
  const officechat = { ...alert.officechat, template_path }
  const file = configFile(dir, { alert: { ...alert, officechat }, public_host: 'https://tocsin.example.com' })
  const system = await startTestSystem(t, file)
  for (const name of ['first', 'second', 'third']) await post(system.url, { ServiceName: name })

  const { text } = await flow.waitFor((request) => !request.text.startsWith('only '))
  assert.match(text, /3 deliveries on chatws are dead/)
  assert.match(text, /Last reason: is_archived/)
  assert.match(text, /https:\/\/tocsin\.example\.com\/api\/admin\/deliveries\?state=dead&channel=chatws/)
  const { total } = await admin<{ total: number }>(system.url, '/api/admin/incidents')
  assert.deepEqual([total, flow.requests.length], [3, 4])
})
