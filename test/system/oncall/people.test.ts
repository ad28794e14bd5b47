import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import { field, type Received } from '../../../src/simulator/exchange.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { reportAll } from '../../harness/gateway-program.ts'
import { scrapeOf } from '../../harness/metrics.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const PUBLIC = 'https://tocsin.example.test'
const SECRET = 'secret-of-the-gateway'
const NUMBER = '+4915112345678'

/** Ada is called, and after an hour gets a message in the chat; then Ben is asked there. No provider is configured. */
async function started(t: TestContext) {
  const chat = await startStandIn(t, 'chatws')
  const calls = await startStandIn(t, 'gateway')
  const chatws = { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST }
  const config = {
    ...{ public_host: PUBLIC, alert: { chatws } },
    people: {
      ada: {
        name: 'Ada Lovelace',
        ways: [
          { gateway: 'phone', to: NUMBER },
          { chatws: 'U0ADA00001', after: '1h' },
        ],
      },
      ben: { name: 'Ben', ways: [{ chatws: 'U0BEN00001' }] },
    },
    oncall: {
      ...{ enable: true, escalation: 'office' },
      gateways: { phone: { url: `${calls.url}/tocsin`, secret: SECRET, pace: '1s' } },
      escalations: {
        office: { steps: [{ notify: ['person:ada'] }, { after: '1h', notify: ['person:ben'] }], repeat: 0 },
      },
    },
  }
  const system = await startTestSystem(t, configFile(folder(), config))
  const report = (page: Received, ...reports: string[]) => {
    const callback_url = field(page.json, 'callback_url').replace(PUBLIC, system.url)
    const here = { ...page, json: { ...(page.json as object), callback_url } }
    return reportAll(here, { secret: SECRET, reports, detail: `busy ${NUMBER}` })
  }
  const asked = (person: string, title: string) =>
    chat.waitFor(({ json, body }) => field(json, 'channel') === person && body.includes(title))
  const raise = async (title: string) => {
    const answer = await post(system.url, { title, severity: 'critical' })
    const id = answer.headers.get('x-incident-id') ?? ''
    return { id, page: await calls.waitFor(({ body }) => body.includes(title)) }
  }
  const ackedBy = (id: string) =>
    until(
      async () => (await admin<IncidentDetail>(system.url, `/api/admin/incidents/${id}`)).acked_by,
      (by) => by !== null,
    )
  return { system, chat, calls, raise, report, asked, ackedBy }
}

test('a person who answers the call has the problem, and one call that fails brings the chat forward', async (t) => {
  const { system, raise, report, asked, ackedBy } = await started(t)
  const { id, page } = await raise('ledger is down')
  assert.equal(field(page.json, 'to'), NUMBER)
  assert.deepEqual(await report(page, 'answered', 'acknowledged', 'acknowledged'), [200, 200, 200])
  assert.equal(await ackedBy(id), 'Ada Lovelace')

  const { page: second } = await raise('basket is down')
  assert.deepEqual(await report(second, 'failed'), [200])
  const message = await asked('U0ADA00001', 'basket is down')
  assert.match(message.body, /\/api\/ack\/page\/\d+\?exp=/)
  const { values } = await until(
    async () => scrapeOf(await (await fetch(`${system.url}/metrics`)).text()),
    (scraped) => scraped.values.get('tocsin_oncall_personal_pages_total{way="chatws",outcome="sent"}') === 1,
  )
  assert.equal(values.get('tocsin_oncall_personal_pages_total{way="gateway",outcome="sent"}'), 2)
  assert.equal(values.get('tocsin_oncall_steps_total{result="asked"}'), 2)
  assert.equal(values.get('tocsin_oncall_step_late_seconds_count'), 2)
  assert.equal(values.get('tocsin_oncall_acknowledge_seconds_count'), 1)
  assert.equal(values.get('tocsin_oncall_way_failing'), 1)
  assert.doesNotMatch(JSON.stringify(system.log.lines), /4915112345678|secret-of-the-gateway/)
})

test('a gateway that refuses a page brings the next way of the person forward', async (t) => {
  const { calls, raise, asked } = await started(t)
  calls.script = () => ({ status: 400, body: 'no such number' })
  await raise('ledger is down')
  await asked('U0ADA00001', 'ledger is down')
})

test('a person who cannot says so by the link, and the next one is asked, whose link acknowledges', async (t) => {
  const { system, raise, asked, ackedBy } = await started(t)
  const { id, page } = await raise('ledger is down')
  const press = (link: string, action: string) =>
    fetch(link.replace(PUBLIC, system.url), { method: 'POST', body: new URLSearchParams({ action }) })
  const ada = field(page.json, 'ack_url')
  assert.match(await (await fetch(ada.replace(PUBLIC, system.url))).text(), /Ada Lovelace, can you take this\?/)
  assert.equal((await press(ada, 'decline')).status, 200)
  const { body } = await asked('U0BEN00001', 'ledger is down')
  const ben = /"url":"([^"]+\/api\/ack\/page\/[^"]+)"/.exec(body)?.[1] ?? ''
  const done = await press(ben, 'acknowledge')
  assert.match(await done.text(), /<h1>Ben has it<\/h1>/)
  assert.equal(await ackedBy(id), 'Ben')
  assert.equal((await press(ada, 'acknowledge')).status, 409)
})
