import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const TOKEN = 'intake-token-of-the-tests'

async function chat(t: TestContext, over: object = {}) {
  const provider = await startStandIn(t, 'chatws')
  const places = { channel_id: 'C0MAIN', other_channel_ids: { night: 'C0NIGHT' } }
  const chatws = { enable: true, token: 'xoxb-test', ...places, api_url: provider.url, ...FAST, ...over }
  return { provider, alert: { chatws } }
}

async function create(url: string, ServiceName: string, query: string) {
  const answer = await fetch(`${url}/api/incidents?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ ServiceName }),
  })
  assert.equal(answer.status, 201)
  const id = answer.headers.get('x-incident-id') ?? ''
  return { id, warning: answer.headers.get('x-tocsin-warning') }
}

const warnedIn = async (url: string) =>
  Number(/^tocsin_requests_warned_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

test('a request chooses a chat by its id, and one that nobody configured goes to the default with a warning', async (t) => {
  const { provider, alert } = await chat(t)
  for (const threads of [1, 2]) {
    const system = await startTestSystem(t, configFile(folder(), { alert, http: { threads } }))
    const at = async (name: string) => {
      const { json } = await provider.waitFor(({ body }) => body.includes(`${name}-${threads}`))
      return (json as { readonly channel: string }).channel
    }
    const night = await create(system.url, `night-${threads}`, 'chatws_channel_id=C0NIGHT')
    assert.deepEqual([night.warning, await at('night')], [null, 'C0NIGHT'])

    const warning = 'chatws_channel_id: "C0NOBODY" is not configured, so the default applies (known: night)'
    const lost = await create(system.url, `lost-${threads}`, 'chatws_channel_id=C0NOBODY')
    assert.deepEqual([lost.warning, await at('lost')], [warning, 'C0MAIN'])
    const detail = await until(
      () => admin<IncidentDetail>(system.url, `/api/admin/incidents/${lost.id}`),
      ({ applied }) => applied,
    )
    assert.deepEqual(detail.warnings, [warning])
    const why = JSON.stringify(await admin(system.url, `/api/admin/incidents/${lost.id}/explain`))
    assert.ok(why.includes(JSON.stringify(warning).slice(1, -1)), why)
    await until(async () => (await warnedIn(system.url)) === 1)
    await system.stop()
  }
})

test('with accept_ids a request reaches a chat that the configuration does not know, also after a restart', async (t) => {
  const { provider, alert } = await chat(t, { accept_ids: true })
  const file = configFile(folder(), { alert, http: { intake_token: TOKEN } })
  for (const name of ['first', 'second']) {
    const system = await startTestSystem(t, file)
    const { id, warning } = await create(system.url, name, 'chatws_channel_id=C0ONCALL')
    assert.equal(warning, null)
    const { json } = await provider.waitFor(({ body }) => body.includes(name))
    assert.equal((json as { readonly channel: string }).channel, 'C0ONCALL')
    const { deliveries } = await until(
      () => admin<IncidentDetail>(system.url, `/api/admin/incidents/${id}`),
      ({ notify_status }) => notify_status === 'sent',
    )
    assert.deepEqual(
      deliveries.map(({ channel, target }) => [channel, target]),
      [['chatws', 'id:C0ONCALL']],
    )
    const refused = await create(system.url, `${name}-url`, 'chatws_channel_id=https://example.com')
    assert.match(refused.warning ?? '', /is not configured/)
    await system.stop()
  }
})
