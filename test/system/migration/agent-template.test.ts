import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { operate, post } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'

const FINDING = { Source: 'AI Agent', AlertName: 'New pattern in billing', PatternTemplate: 'ERROR pool <*> exhausted' }

test('incidents of the log agent have a template of their own, which is reloaded and previewed like others', async (t) => {
  const flow = await startStandIn(t, 'officechat')
  const dir = folder()
  writeFileSync(join(dir, 'own.tmpl'), 'own {{ .ServiceName }}')
  writeFileSync(join(dir, 'agent.tmpl'), 'agent `{{ .PatternTemplate }}`')
  const paths = { template_path: 'own.tmpl', agent_template_path: 'agent.tmpl' }
  const officechat = { enable: true, flow_url: `${flow.url}/triggers/manual?sig=x`, ...FAST, ...paths }
  const { url } = await startTestSystem(t, configFile(dir, { alert: { officechat } }))
  await post(url, FINDING)
  await post(url, { ServiceName: 'ledger' })
  const [ofAgent, own] = await Promise.all(
    ['agent', 'own'].map((word) => flow.waitFor(({ text }) => text.startsWith(word))),
  )
  assert.deepEqual([ofAgent?.text, own?.text], ['agent `ERROR pool <*> exhausted`', 'own ledger'])

  const preview = await operate(`${url}/api/admin/render`, { channel: 'officechat', payload: FINDING })
  assert.equal(((await preview.json()) as { readonly text: string }).text, 'agent `ERROR pool <*> exhausted`')
  writeFileSync(join(dir, 'agent.tmpl'), 'edited {{ .AlertName }}')
  const edited = flow.waitFor(({ text }) => text === 'edited New pattern in billing')
  for (let done = false; !done; done = await Promise.race([edited.then(() => true), tick()])) await post(url, FINDING)
})

const tick = () => new Promise<boolean>((resolve) => setTimeout(resolve, 100, false))
