import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { admin, operate, post } from '../harness/net/requests.ts'
import { startStandIn } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'

test('a preview of a stored incident is what the channel was sent', async (t) => {
  const flow = await startStandIn(t, 'officechat')
  const alert = { officechat: { enable: true, flow_url: `${flow.url}/flow?sig=test`, ...FAST } }
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  const answer = await post(system.url, { ServiceName: 'ledger', Logs: 'cannot write <entry>', severity: 'high' })
  const { json } = await flow.waitFor(({ body }) => body.includes('ledger'))
  const asked = { channel: 'officechat', incident_id: answer.headers.get('x-incident-id') }
  const { status, body } = await preview(system.url, asked)
  assert.equal(status, 200)
  assert.deepEqual(body, { text: (json as { message: string }).message, warnings: [] })
})

test('previews of a service without channels', async (t) => {
  const system = await startTestSystem(t, configFile(folder()))

  await t.test(
    'a preview with a template that does not parse says where, and one of an unknown channel or incident is refused',
    async () => {
      const broken = await preview(system.url, { channel: 'console', payload: {}, template: 'one\n{{ nosuch }}' })
      assert.equal(broken.status, 400)
      assert.match((broken.body as { error: string }).error, /console\.tmpl:2:4: /)
      assert.equal((await preview(system.url, { channel: 'pigeon', payload: {} })).status, 400)
      assert.equal((await preview(system.url, { channel: 'console', payload: [] })).status, 400)
      assert.equal((await preview(system.url, { channel: 'console', incident_id: 'none' })).status, 404)
      assert.equal((await preview(system.url, { channel: 'console', incident_id: { toString: null } })).status, 400)
    },
  )

  await t.test("a previewed template may use the definitions of the files beside the channel's own", async () => {
    const { templates, samples } = await admin<{
      templates: readonly { channel: string; file: string; text: string; enabled: boolean }[]
      samples: readonly { name: string; payload: object }[]
    }>(system.url, '/api/admin/templates')
    const [own] = templates.filter(({ enabled }) => enabled)
    assert.deepEqual([own?.channel, own?.file.endsWith('console.tmpl')], ['console', true])
    const payload = samples[0]?.payload
    const [{ body: as }, { body: edited }] = await Promise.all([
      preview(system.url, { channel: 'console', payload }),
      preview(system.url, { channel: 'console', payload, template: `${own?.text}edited` }),
    ])
    assert.equal((edited as { text: string }).text, `${(as as { text: string }).text}edited`)
  })

  await t.test('the template of a disabled channel can be previewed', async () => {
    const { status, body } = await preview(system.url, { channel: 'chatws', payload: { title: 'a <tag>' } })
    assert.equal(status, 200)
    assert.match((body as { text: string }).text, /a &lt;tag&gt;/)
    const broken = { channel: 'chatws', payload: {}, template: '{{ nosuch }}' }
    assert.match(JSON.stringify(await preview(system.url, broken)), /chatws\.tmpl:1:4: /)
  })
})

test('a disabled channel without a readable template is left out of the list, and a preview says why', async (t) => {
  const alert = { chatws: { enable: false, template_path: 'no/such.tmpl' } }
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  const { templates } = await admin<{ templates: { channel: string }[] }>(system.url, '/api/admin/templates')
  const listed = new Set(templates.map(({ channel }) => channel))
  assert.deepEqual([listed.has('chatws'), listed.has('msgapp')], [false, true])
  const { status, body } = await preview(system.url, { channel: 'chatws', payload: {} })
  assert.deepEqual([status, /no\/such\.tmpl: no such file/.test((body as { error: string }).error)], [400, true])
})

async function preview(url: string, asked: object): Promise<{ status: number; body: unknown }> {
  const answer = await operate(`${url}/api/admin/render`, asked)
  return { status: answer.status, body: await answer.json() }
}
