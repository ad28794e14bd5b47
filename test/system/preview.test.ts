import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProvider } from '../../src/simulator/index.ts'
import { admin, configFile, FAST, folder, post, SECRET, startTestSystem } from '../support/system.ts'

test('a preview of a stored incident is what the channel was sent', async (t) => {
  const flow = await startProvider('officechat')
  t.after(() => flow.close())
  const alert = { officechat: { enable: true, flow_url: `${flow.url}/flow?sig=test`, ...FAST } }
  const system = await startTestSystem(t, configFile(folder(t), { alert }))
  const answer = await post(system.url, { ServiceName: 'ledger', Logs: 'cannot write <entry>', severity: 'high' })
  const { json } = await flow.waitFor(({ body }) => body.includes('ledger'))
  const asked = { channel: 'officechat', incident_id: answer.headers.get('x-incident-id') }
  const { status, body } = await preview(system.url, asked)
  assert.equal(status, 200)
  assert.deepEqual(body, { text: (json as { message: string }).message, warnings: [] })
})

test('a preview with a template that does not parse says where, and one of an unknown channel or incident is refused', async (t) => {
  const system = await startTestSystem(t, configFile(folder(t)))
  const broken = await preview(system.url, { channel: 'console', payload: {}, template: 'one\n{{ nosuch }}' })
  assert.equal(broken.status, 400)
  assert.match((broken.body as { error: string }).error, /console\.tmpl:2:4: /)
  assert.equal((await preview(system.url, { channel: 'pigeon', payload: {} })).status, 400)
  assert.equal((await preview(system.url, { channel: 'console', payload: [] })).status, 400)
  assert.equal((await preview(system.url, { channel: 'console', incident_id: 'none' })).status, 404)
  assert.equal((await preview(system.url, { channel: 'console', incident_id: { toString: null } })).status, 400)
})

test("a template that is tried may use what the files beside the channel's own define", async (t) => {
  const system = await startTestSystem(t, configFile(folder(t)))
  const { templates, samples } = (await admin(system.url, '/api/admin/templates')) as {
    templates: readonly { channel: string; file: string; text: string }[]
    samples: readonly { name: string; payload: object }[]
  }
  const [own] = templates
  assert.deepEqual([templates.length, own?.channel, own?.file.endsWith('console.tmpl')], [1, 'console', true])
  const payload = samples[0]?.payload
  const [{ body: as }, { body: edited }] = await Promise.all([
    preview(system.url, { channel: 'console', payload }),
    preview(system.url, { channel: 'console', payload, template: `${own?.text}edited` }),
  ])
  assert.equal((edited as { text: string }).text, `${(as as { text: string }).text}edited`)
})

async function preview(url: string, asked: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}/api/admin/render`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Gateway-Secret': SECRET },
    body: JSON.stringify(asked),
  })
  return { status: answer.status, body: await answer.json() }
}
