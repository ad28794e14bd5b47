import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Provider } from '../../../src/simulator/index.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { startStandIn, twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const COUNT = 240
const IN_ONE_REQUEST = 40

test('a hanging and a failing channel cost the third nothing; once healed, they get everything', async (t) => {
  const { flow, chat, app, alert } = await threeChannels(t)
  chat.script = () => ({ hang: true })
  /** Requests that the provider refused, and so does not have. */
  const refused = new Set<number>()
  app.script = (_request, nth) => {
    if (nth % 10 >= 3) return undefined
    refused.add(nth - 1)
    return { status: 500, body: 'not now' }
  }
  const delivery = { attempts: 1000, backoff: { initial: '20ms', max: '200ms' }, timeout: '1s' }
  const circuit = { failures: 20, open_for: '200ms' }
  const file = configFile(folder(), { alert, delivery: { ...delivery, circuit } })
  const system = await startTestSystem(t, file)
  const names = Array.from({ length: COUNT }, (_, n) => `service-${n}-end`)
  for (let n = 0; n < COUNT; n += IN_ONE_REQUEST) {
    const batch = names.slice(n, n + IN_ONE_REQUEST)
    const { status } = await post(
      system.url,
      batch.map((ServiceName) => ({ ServiceName })),
    )
    assert.equal(status, 201)
    // From here on the channel holds a request: the posts that follow are accepted beside it.
    await chat.waitFor(() => true)
  }
  for (const name of names) await flow.waitFor(({ body }) => body.includes(name))
  const hanging = await deliveriesOf(system.url, 'chatws')
  assert.equal(hanging.length, COUNT)
  assert.deepEqual(
    hanging.filter(({ state }) => state === 'sent'),
    [],
  )

  chat.script = undefined
  app.script = undefined
  const listed = async () => await admin<{ incidents: Incident[] }>(system.url, '/api/admin/incidents?limit=500')
  await until(listed, ({ incidents }) => incidents.every(({ notify_status }) => notify_status === 'sent'))
  const received = {
    officechat: timesReceived(flow),
    chatws: timesReceived(chat),
    msgapp: timesReceived(app, refused),
  }
  for (const channel of ['officechat', 'chatws', 'msgapp'] as const) {
    const flagged = await mayDuplicate(system.url, channel)
    for (const name of names) assert.ok((received[channel].get(name) ?? 0) >= 1, `${name} is lost on ${channel}`)
    for (const [name, times] of received[channel])
      assert.ok(times === 1 || flagged.has(name), `${name} came ${times} times on ${channel}`)
  }
})

interface Incident {
  readonly notify_status: string
}

interface Delivery {
  readonly title: string
  readonly state: string
  readonly may_duplicate: boolean
}

async function threeChannels(t: TestContext) {
  const { chat, flow, alert } = await twoChannels(t)
  const app = await startStandIn(t, 'msgapp')
  return {
    chat,
    flow,
    app,
    alert: { ...alert, msgapp: { enable: true, token: '1:x', channel_id: '1', api_url: app.url, ...FAST } },
  }
}

/** Number of messages by service name that the provider has, or may have. */
function timesReceived({ requests }: Provider, refused: ReadonlySet<number> = new Set()): Map<string, number> {
  const times = new Map<string, number>()
  requests.forEach(({ body }, at) => {
    const name = /service-\d+-end/.exec(body)?.[0]
    if (name !== undefined && !refused.has(at)) times.set(name, (times.get(name) ?? 0) + 1)
  })
  return times
}

/** Service names whose deliveries have `may_duplicate`. */
async function mayDuplicate(url: string, channel: string): Promise<Set<string>> {
  const deliveries = await deliveriesOf(url, channel)
  return new Set(deliveries.filter(({ may_duplicate }) => may_duplicate).map(({ title }) => title))
}

async function deliveriesOf(url: string, channel: string): Promise<readonly Delivery[]> {
  const path = `/api/admin/deliveries?channel=${channel}&limit=500`
  return (await admin<{ deliveries: Delivery[] }>(url, path)).deliveries
}
