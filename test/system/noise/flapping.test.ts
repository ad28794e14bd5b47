import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { DigestDetail } from '../../../src/api/noise/digest.ts'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import { fakeClock, skipFaketime } from '../../cluster/faketime.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { scrapeOf } from '../../harness/metrics.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { end, startProcess } from '../../harness/process.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const FIRES = { title: 'Disk full', ServiceName: 'orders-db', severity: 'warning' }
const ENDS = { ...FIRES, status: 'resolved' }

test('a problem that flaps is told by one message', async (t) => {
  const chat = await startStandIn(t, 'chatws')
  const alert = { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url } }
  const noise = { flapping: { enable: true } }
  const { url } = await startTestSystem(t, configFile(folder(), { alert, noise, metrics: { enable: true } }))
  const ask = <T>(path: string) => admin<T>(url, `/api/admin/${path}`)

  for (const one of [FIRES, ENDS, FIRES, ENDS, FIRES, ENDS]) await post(url, [one])
  const { incidents } = await until(
    () => ask<IncidentPage>('incidents?notified=digest'),
    ({ incidents: [first] }) => first?.notify_status === 'sent',
  )
  assert.equal(incidents.length, 1)
  const id = incidents[0]?.id
  const { deliveries } = await ask<IncidentDetail>(`incidents/${id}`)
  assert.deepEqual(
    deliveries.map(({ state, via }) => [state, via?.kind, via?.place, via?.update]),
    [['sent', 'flapping', 1, 1]],
  )
  const { decisions } = await ask<Explanation>(`incidents/${id}/explain`)
  assert.match(decisions.find(({ stage }) => stage === 'destination')?.because ?? '', /its problem flaps: digest 1/)
  const posts = await until(
    () => chat.requests.map(({ body }) => JSON.stringify(body)),
    (bodies) => bodies.length === 6,
  )
  assert.equal(posts.filter((body) => /🔁 flapping: fired ×0, resolved ×1 since/.test(body)).length, 1)
  for (const one of [FIRES, ENDS, FIRES]) await post(url, [one])
  await until(
    () => ask<IncidentPage>('incidents?notified=digest'),
    ({ incidents: all }) => all.length === 4,
  )
  const digest = await ask<DigestDetail>('digests/1')
  assert.deepEqual([digest.kind, digest.state, digest.incidents, digest.notified], ['flapping', 'open', 4, 1])
  assert.equal(chat.requests.length, 6)
  const { values } = scrapeOf(await (await fetch(`${url}/metrics`)).text())
  assert.equal(values.get('tocsin_flapping_folded_total{channel="chatws"}'), 4)
})

const FLAPS = [FIRES, ENDS, FIRES, ENDS, FIRES, ENDS, FIRES]

async function killedAndEnded(t: TestContext, last: { readonly enable: boolean; readonly env?: NodeJS.ProcessEnv }) {
  const [chat, pager] = [await startStandIn(t, 'chatws'), await startStandIn(t, 'webhook')]
  const [dir, log] = [folder(), { level: 'info' }]
  const oncall = { enable: true, wait_minutes: 0, provider: 'webhook', webhook: { url: pager.url } }
  const alert = { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url } }
  const start = ({ enable, env }: typeof last) =>
    startProcess(t, configFile(dir, { alert, oncall, log, noise: { flapping: { enable } } }), env)
  let life = await start({ enable: true })
  const ask = <T>(path: string) => admin<T>(life.url, `/api/admin/${path}`)
  const signals = () => pager.requests.map(({ json }) => (json as { event: string }).event)
  const posted = () => chat.requests.map(({ body }) => JSON.stringify(body))
  const isTold = (count: number) =>
    until(
      () => ask<IncidentPage>('incidents?notified=digest'),
      ({ incidents }) => incidents.length === count && incidents.at(-1)?.notify_status === 'sent',
    )
  const change = async (status: object, paged: number) => {
    await post(life.url, [status])
    await until(signals, ({ length }) => length === paged)
  }

  for (const [nth, status] of FLAPS.slice(0, 5).entries()) await change(status, nth + 1)
  assert.deepEqual(signals(), ['trigger', 'resolve', 'trigger', 'resolve', 'trigger'], 'it does not flap yet')
  for (const status of FLAPS.slice(5)) await post(life.url, [status])
  await isTold(2)

  await end(life.child)
  life = await start({ enable: true })
  for (const status of [ENDS, FIRES, ENDS]) await post(life.url, [status])
  const { incidents } = await isTold(5)
  const { oncall: page } = await ask<IncidentDetail>(`incidents/${incidents[1]?.id}`)
  assert.deepEqual([page?.paged_at, page?.provider], [null, null], 'it has no page of its own')
  const digest = await ask<DigestDetail>('digests/1')
  assert.deepEqual([digest.kind, digest.state, digest.incidents], ['flapping', 'open', 5], 'the same digest goes on')
  assert.equal(signals().length, 5)
  assert.equal(posted().filter((body) => body.includes('🔁 flapping: ')).length, 1)

  await end(life.child)
  life = await start(last)
  await until(posted, (bodies) =>
    bodies.some((body) => /flapping is over, resolved: fired ×2, resolved ×3 in/.test(body)),
  )
  await until(signals, ({ length }) => length === 6)
  assert.equal(signals().at(-1), 'resolve')
  await until(async () => (await ask<DigestDetail>('digests/1')).notified === 5)
  await change(FIRES, 7)
  assert.equal((await ask<IncidentPage>('incidents?notified=digest')).incidents.length, 5, 'it is told like any other')
}

test('killed while a problem flaps it goes on: one message, one page, and the end when it is switched off', (t) =>
  killedAndEnded(t, { enable: false }))

test('flapping that is over while the service is dead ends at its start', { skip: skipFaketime }, (t) =>
  killedAndEnded(t, { enable: true, env: fakeClock('+2h').env }),
)
