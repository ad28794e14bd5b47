import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ChannelList } from '../../../src/api/channel.ts'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { DigestDetail, DigestPage, DigestPlacePage } from '../../../src/api/noise/digest.ts'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import type { SloReport } from '../../../src/api/noise/slo.ts'
import type { Stats } from '../../../src/api/stats.ts'
import { digests } from '../../../src/commands/noise/digests.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { scrapeOf } from '../../harness/metrics.ts'
import { admin, post, SECRET } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const INCIDENTS = 60
const PROBLEMS = 6

/** A service whose one chat takes a message a second, and got many incidents at once. All are told. */
async function storm(t: TestContext) {
  const chat = await startStandIn(t, 'chatws')
  const chatws = { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url }
  const alert = { chatws: { ...chatws, rate: { per_second: 1, burst: 4 } } }
  const { url } = await startTestSystem(t, configFile(folder(), { alert }))
  const payloads = Array.from({ length: INCIDENTS }, (_, at) => ({
    title: `Problem ${at % PROBLEMS}`,
    ServiceName: `service-${at % PROBLEMS}`,
    severity: at % PROBLEMS === 0 ? (at === 0 ? 'warning' : 'critical') : 'warning',
  }))
  await post(url, payloads)
  const ask = <T>(path: string) => admin<T>(url, `/api/admin/${path}`)
  await until(
    () => ask<SloReport>('slo'),
    ({ channels: [report] }) => report?.notified === INCIDENTS,
  )
  const { digests: list } = await ask<DigestPage>('digests')
  return { url, chat, ask, first: list[0] as DigestPage['digests'][number] }
}

test('a storm of one chat', async (t) => {
  const told = await storm(t)
  const accounted = 'a digest tells of what no message of its own could tell, and every place of it is accounted for'
  await t.test(accounted, (part) => assertAccounted(part, told))
  await t.test('channels, statistics and metrics show it, and how soon incidents were told', () => assertShown(told))
})

type Told = Awaited<ReturnType<typeof storm>>

async function assertAccounted(t: TestContext, { url, chat, ask, first }: Told): Promise<void> {
  const detail = await ask<DigestDetail>('digests/1')
  assert.deepEqual([first.number, first.channel, first.target, first.state], [1, 'chatws', null, 'open'])
  assert.equal(detail.problems, PROBLEMS)
  const alerts = detail.incidents + detail.by_message
  const { critical, warning } = detail.severities
  assert.equal(alerts, INCIDENTS)
  assert.equal(critical + warning, alerts)
  assert.match(detail.text ?? '', new RegExp(`critical ${critical}\\b.* warning ${warning}\\b`))
  const inProblems = detail.problem_list.map(({ firing, resolved, by_message }) => firing + resolved + by_message)
  assert.equal(
    inProblems.reduce((sum, each) => sum + each, 0),
    alerts,
  )
  assert.equal(detail.problem_list[0]?.severity, 'critical')
  assert.equal(Math.max(...detail.updates.map(({ through }) => through)), detail.incidents)
  assert.match(detail.text ?? '', new RegExp(`Digest 1·\\d+: ${alerts} alerts of 6 problems`))
  assert.ok(chat.requests.some(({ text }) => text.includes(`${alerts} alerts of 6 problems`)))

  const all = await ask<DigestPlacePage>('digests/1/incidents?limit=500')
  assert.deepEqual(
    all.places.map(({ place }) => place),
    Array.from({ length: detail.incidents }, (_, at) => at + 1),
  )
  assert.ok(all.places.every(({ update, notified_at }) => update !== null && notified_at !== null))
  const page = await ask<DigestPlacePage>('digests/1/incidents?limit=2&cursor=5')
  assert.deepEqual([page.places.map(({ place }) => place), page.next_cursor], [[6, 7], '7'])

  const id = all.places[0]?.incident_id ?? ''
  const incident = await until(
    () => ask<IncidentDetail>(`incidents/${id}`),
    ({ deliveries }) => deliveries[0]?.state === 'sent',
  )
  const { update, notified_at } = all.places[0] ?? {}
  assert.deepEqual(incident.deliveries[0]?.via, { digest: 1, place: 1, kind: 'storm', update, notified_at })
  const { decisions } = await ask<Explanation>(`incidents/${id}/explain`)
  const step = decisions.find(({ stage }) => stage === 'destination')
  assert.deepEqual([step?.subject, step?.verdict, step?.digest], ['chatws', 'sent', 1])
  assert.match(step?.because ?? '', /digest 1, place 1, notified by update 1/)

  const found = async (query: string) => (await ask<IncidentPage>(`incidents?limit=500&${query}`)).incidents.length
  assert.equal(await found('digest=1'), detail.incidents)
  assert.equal(await found('notified=digest'), detail.incidents)
  await until(async () => (await found('notified=message')) === INCIDENTS - detail.incidents)
  assert.deepEqual((await ask<DigestPage>('digests?open=false')).digests, [])
  assert.equal((await ask<DigestPage>('digests?destination=chatws&open=true')).digests.length, 1)
  assert.deepEqual((await ask<DigestPage>('digests?destination=chatws:other')).digests, [])
  await assert.rejects(ask('digests/2'), /404.*no digest has this number/)
  await assert.rejects(ask('digests/1/incidents?cursor=x'), /400.*cursor/)
  await assert.rejects(ask('digests?destination=slack'), /400.*channel must be one of/)
  await assertPrinted(t, url)
}

async function assertPrinted(t: TestContext, url: string): Promise<void> {
  const printed: string[] = []
  t.mock.method(console, 'log', (text: string) => printed.push(text))
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  assert.equal(await digests.run(['--url', url, '--open']), 0)
  assert.match(printed.splice(0).join(), /^digest +kind +destination .*\n1 +storm +chatws +open /)
  assert.equal(await digests.run(['--url', url, '1']), 0)
  assert.match(printed.splice(0).join(), /^digest 1 for chatws: storm, open.*\n\d+ incidents of 6 problems/)
  await assert.rejects(digests.run(['--url', url, '7']), /no digest has this number/)
}

async function assertShown({ url, ask }: Told): Promise<void> {
  const { channels } = await ask<ChannelList>('channels')
  const [destination] = channels.find(({ name }) => name === 'chatws')?.destinations ?? []
  assert.deepEqual([destination?.storm, destination?.waiting, destination?.arrived_total], [1, 0, INCIDENTS])
  assert.deepEqual([destination?.max_load, destination?.bound_ms], [14, 60_000])
  assert.equal((await ask<Stats>('stats')).attention.storms, 1)
  const { values } = await until(
    async () => scrapeOf(await (await fetch(`${url}/metrics`)).text()),
    ({ values: scraped }) => toldIn(scraped) === INCIDENTS,
  )
  assert.equal(values.get('tocsin_storms_open{channel="chatws"}'), 1)
  assert.equal(values.get('tocsin_storms_total'), 1)
  const transactions = values.get('tocsin_filing_decide_seconds_count') ?? 0
  assert.ok(transactions >= 1 && transactions <= INCIDENTS, `${transactions} transactions`)
  assert.equal(values.get('tocsin_digest_waiting{channel="chatws"}'), 0)
  assert.equal(values.get('tocsin_digest_late{channel="chatws"}'), 0)
  assert.ok((values.get('tocsin_digest_updates_total{channel="chatws",way="digest"}') ?? 0) >= 1)
  const { incidents } = await ask<DigestDetail>('digests/1')
  assert.equal(values.get('tocsin_folded_total{channel="chatws"}'), incidents)
  const [report] = (await ask<SloReport>('slo')).channels
  assert.deepEqual([report?.channel, report?.notified, report?.bound_ms], ['chatws', INCIDENTS, 60_000])
  assert.equal(report?.late, 0)
}

/** Incidents that were told, in whichever way. */
function toldIn(values: ReadonlyMap<string, number>): number {
  const counts = [...values].filter(([name]) => name.startsWith('tocsin_notification_seconds_count'))
  return counts.reduce((sum, [, count]) => sum + count, 0)
}
