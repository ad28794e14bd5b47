import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { IncidentPage } from '../../../src/api/incident.ts'
import type { ExplainStep, Explanation } from '../../../src/api/noise/explain.ts'
import type { RouteTable } from '../../../src/api/noise/route.ts'
import { explain } from '../../../src/commands/noise/explain.ts'
import { routes } from '../../../src/commands/noise/routes.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, operate, post, SECRET } from '../../harness/net/requests.ts'
import { twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const ROUTES = [
  { name: 'payments', match: { service: 'pay*', min_severity: 'high' }, to: ['chatws'], priority: 'high' },
  { name: 'night', match: { service: 'db' }, during: 'never', to: ['chatws'] },
  { name: 'payments again', match: { service: 'payments', severity: 'critical' }, to: ['officechat'] },
  { name: 'chatter', match: { severity: ['info', 'debug'] }, to: 'none' },
]
const SCHEDULES = { never: [{ cron: '0 3 1 1 *', for: '1h', time_zone: 'UTC' }] }

async function setup(t: TestContext) {
  const { alert } = await twoChannels(t)
  const dir = folder()
  const file = configFile(dir, { alert, routes: ROUTES, schedules: SCHEDULES })
  const { url, reloadFrom } = await startTestSystem(t, file)
  const raise = async (payload: object) => (await post(url, payload)).headers.get('x-incident-id') ?? ''
  const explained = (id: string) => admin<Explanation>(url, `/api/admin/incidents/${id}/explain`)
  return { url, dir, alert, reloadFrom, raise, explained }
}

const verdicts = (decisions: readonly ExplainStep[], stage: ExplainStep['stage']) =>
  decisions.filter((step) => step.stage === stage).map(({ subject, verdict }) => [subject, verdict])

test('the rules are listed in order, with lines, hits, and the one that is never reached', async (t) => {
  const { url, raise } = await setup(t)
  await raise({ ServiceName: 'payments', severity: 'critical' })
  await raise({ ServiceName: 'payroll', severity: 'high' })
  await raise({ ServiceName: 'web', severity: 'info' })
  await raise({ ServiceName: 'web', severity: 'high' })
  const { routes: rules, unmatched } = await until(
    () => admin<RouteTable>(url, '/api/admin/routes'),
    (table) => table.unmatched.hits === 1,
  )
  assert.deepEqual(
    rules.map(({ name, hits, to, active, never_reached_behind }) => [name, hits, to, active, never_reached_behind]),
    [
      ['payments', 2, ['chatws'], true, null],
      ['night', 0, ['chatws'], false, null],
      ['payments again', 0, ['officechat'], true, 'payments'],
      ['chatter', 1, [], true, null],
    ],
  )
  assert.deepEqual(unmatched, { to: ['chatws', 'officechat'], hits: 1 })
  assert.match(rules[0]?.line ?? '', /config\.yaml:\d+$/)
  assert.match(rules[0]?.match ?? '', /service pay\*.*severity at least high/)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.match(metrics, /^tocsin_route_hits_total\{rule="payments"\} 2$/m)
})

test('incidents are found by rule, and by how they were told', async (t) => {
  const { url, raise } = await setup(t)
  const payments = await raise({ ServiceName: 'payments', severity: 'critical' })
  const silent = await raise({ ServiceName: 'web', severity: 'debug' })
  const other = await raise({ ServiceName: 'web', severity: 'high' })
  const found = async (query: string) =>
    (await admin<IncidentPage>(url, `/api/admin/incidents?${query}`)).incidents.map(({ id }) => id)
  await until(async () => (await found('notified=message')).length === 2)
  // One of them is told at two channels.
  await until(async () => (await found('notified=waiting')).length === 0)
  assert.deepEqual(await found('notified=message'), [other, payments])
  assert.deepEqual(await found('rule=payments'), [payments])
  assert.deepEqual(await found('notified=nobody'), [silent])
  assert.deepEqual(await found('notified=nobody&rule=chatter&service=web'), [silent])
  assert.deepEqual(await found('digest=1'), [])
  await assert.rejects(admin(url, '/api/admin/incidents?notified=twice'), /notified must be one of/)
})

test('an incident is explained by the rules that decided, and by its deliveries', async (t) => {
  const { raise, explained, dir, alert, reloadFrom } = await setup(t)
  const id = await raise({ ServiceName: 'payments', severity: 'critical' })
  const { decisions, configuration } = await until(
    () => explained(id),
    ({ decisions: steps }) => steps.some(({ verdict }) => verdict === 'sent'),
  )
  assert.equal(configuration, 'now')
  assert.deepEqual(verdicts(decisions, 'route'), [['payments', 'match']])
  assert.deepEqual(verdicts(decisions, 'destination'), [['chatws', 'sent']])
  assert.deepEqual(verdicts(decisions, 'provider'), [['chatws', 'circuit closed']])
  assert.match(decisions.find(({ stage }) => stage === 'provider')?.because ?? '', /^as configured now, .* 0 wait/)
  assert.deepEqual(verdicts(decisions, 'idempotency'), [['', 'no key']])
  assert.deepEqual(verdicts(decisions, 'on-call'), [['', 'no']])
  await reloadFrom(configFile(dir, { alert, routes: ROUTES.slice(1), schedules: SCHEDULES }))
  const later = await explained(id)
  assert.equal(later.configuration, 'then')
  assert.deepEqual(verdicts(later.decisions, 'route'), [['payments', 'match']])
})

test('a payload is explained without being stored, at any moment, with the choices of a request', async (t) => {
  const { url } = await setup(t)
  const ask = async (body: object) => {
    const answer = await operate(`${url}/api/admin/explain`, body)
    const json = (await answer.json()) as Explanation & { readonly error?: string }
    if (json.error !== undefined) throw new Error(json.error)
    return json
  }
  const database = { payload: { ServiceName: 'db', severity: 'high' } }
  await assert.rejects(
    ask({ ...database, query: { chatws: { toString: null } } }),
    /query: the value of "chatws" must be text/,
  )
  const now = await ask(database)
  assert.deepEqual(verdicts(now.decisions, 'route').slice(0, 2), [
    ['payments', 'no'],
    ['night', 'no'],
  ])
  assert.match(now.decisions.find(({ subject }) => subject === 'night')?.because ?? '', /never is not active/)
  const atNewYear = await ask({ ...database, at: '2027-01-01T03:30:00Z' })
  assert.deepEqual(verdicts(atNewYear.decisions, 'destination'), [['chatws', 'send']])
  assert.deepEqual(verdicts(atNewYear.decisions, 'provider'), [['chatws', 'circuit closed']])
  const silent = await ask({ payload: { severity: 'debug' }, query: { oncall_enable: 'false' } })
  assert.deepEqual(verdicts(silent.decisions, 'destination'), [['', 'nobody']])
  assert.deepEqual(verdicts(silent.decisions, 'override'), [['', 'do not page']])
  assert.equal((await admin<IncidentPage>(url, '/api/admin/incidents')).total, 0)
  await assert.rejects(ask({ ...database, at: 'soon' }), /at must be a time/)
  const unknown = await ask({ ...database, query: { chatws_other_channel_id: 'nowhere' } })
  assert.deepEqual(verdicts(unknown.decisions, 'override'), [['', 'no effect']])
  await assert.rejects(ask({ payload: 1 }), /payload must be a JSON object/)
})

test('the commands print rules and explanations as lines or JSON, and fail for an unknown id', async (t) => {
  const { url, raise, dir } = await setup(t)
  const id = await raise({ ServiceName: 'payments', severity: 'critical' })
  const payload = join(dir, 'payload.json')
  writeFileSync(payload, JSON.stringify({ ServiceName: 'payments', severity: 'high' }))
  const printed: string[] = []
  t.mock.method(console, 'log', (text: string) => printed.push(...text.split('\n')))
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  await until(
    () => admin<RouteTable>(url, '/api/admin/routes'),
    ({ routes: rules }) => rules[0]?.hits === 1,
  )
  assert.equal(await routes.run(['--url', url]), 0)
  assert.match(
    printed.splice(0).join('\n'),
    /^1 +payments +.*chatws +\S+config\.yaml:\d+$[\s\S]*NEVER REACHED behind payments/m,
  )
  assert.equal(await explain.run(['--url', url, '--payload', payload]), 0)
  assert.match(printed.splice(0).join('\n'), /^ route payments +match +.*config\.yaml:\d+$/m)
  assert.equal(await explain.run(['--url', url, id, '--json']), 0)
  assert.equal((JSON.parse(printed.splice(0).join('')) as Explanation).incident_id, id)
  await assert.rejects(explain.run(['--url', url, 'nothing']), /no applied incident has this id/)
  await assert.rejects(explain.run(['--url', url]), /the id of one incident/)
})
