import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import type { ProblemPage } from '../../../src/api/noise/problem.ts'
import type { SilenceDetail, SilencePage, SilencePreview, SilenceRecord } from '../../../src/api/noise/silence.ts'
import type { SilenceCreated } from '../../../src/api/noise/silence-requests.ts'
import { silence } from '../../../src/commands/noise/silence.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { post, SECRET } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const DISK = { title: 'Disk full', ServiceName: 'db-1', severity: 'critical' }
const REQUEST = { match: { service: 'db-*' }, for: '2h', owner: 'Anna', comment: 'disks are replaced' }

async function service(t: TestContext, changes: object = {}) {
  const chat = await startStandIn(t, 'chatws')
  const alert = { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url } }
  const { url } = await startTestSystem(t, configFile(folder(), { alert, ...changes }))
  async function call<T>(method: string, path: string, json?: object) {
    const headers = { 'X-Gateway-Secret': SECRET, 'Content-Type': 'application/json' }
    const body = json === undefined ? null : JSON.stringify(json)
    const answer = await fetch(`${url}/api/admin/${path}`, { method, headers, body })
    return { status: answer.status, json: (await answer.json()) as T }
  }
  const texts = () => chat.requests.map(({ text }) => text)
  const told = (words: RegExp) => until(texts, (all) => all.some((text) => words.test(text)))
  const sent = async (payload: object) => {
    await post(url, payload)
    const { json } = await call<IncidentPage>('GET', 'incidents?limit=1')
    return json.incidents[0]?.id ?? ''
  }
  return { url, call, texts, told, sent }
}

test('a silence that is made, extended and ended holds what it fits and tells it at its end', async (t) => {
  const { url, call, texts, told } = await service(t)
  const { status, json: made } = await call<SilenceCreated>('POST', 'silences', REQUEST)
  assert.deepEqual([status, made.silence.state, made.silence.text], [201, 'active', 'service db-*'])
  await post(url, DISK)
  await post(url, { ...DISK, ServiceName: 'web' })
  await told(/web|Disk full/)
  const { json: held } = await until(
    () => call<SilenceDetail>('GET', `silences/${made.silence.id}`),
    ({ json }) => json.problems.length === 1,
  )
  assert.deepEqual(
    held.problems.map(({ title, alerts, destinations }) => [title, alerts, destinations]),
    [['Disk full', 1, ['chatws']]],
  )
  const { json: page } = await call<IncidentPage>('GET', 'incidents?notified=silenced')
  const id = page.incidents[0]?.id ?? ''
  assert.equal(page.incidents.length, 1)
  const { json: incident } = await call<IncidentDetail>('GET', `incidents/${id}`)
  assert.deepEqual([incident.silence, incident.deliveries[0]?.state], [made.silence.id, 'held'])
  const { json: why } = await call<Explanation>('GET', `incidents/${id}/explain`)
  const step = why.decisions.find(({ stage }) => stage === 'silence')
  assert.match(step?.because ?? '', /service db-\* fits/)
  assert.equal(step?.silence, made.silence.id)
  const { json: kept } = await call<Explanation>('POST', 'explain', { payload: DISK })
  assert.deepEqual(
    kept.decisions.flatMap(({ stage, verdict, silence: by }) => (stage === 'destination' ? [[verdict, by]] : [])),
    [['hold', made.silence.id]],
  )
  const trial = async (payload: object, at?: string) => {
    const { json } = await call<Explanation>('POST', 'explain', { payload, ...(at !== undefined && { at }) })
    const step = json.decisions.find(({ stage }) => stage === 'silence')
    return [step?.verdict, step?.subject, step?.silence]
  }
  assert.deepEqual(await trial(DISK), ['hold', 'service db-*', made.silence.id])
  assert.deepEqual(await trial({ ...DISK, ServiceName: 'web' }), ['no', '', null])
  assert.deepEqual(await trial(DISK, new Date(Date.now() + 3 * 3_600_000).toISOString()), ['no', '', null])

  for (const changes of [{ owner: ' ' }, { owner: 'a'.repeat(101) }, { comment: 'a'.repeat(501) }])
    assert.equal((await call('PATCH', `silences/${made.silence.id}`, changes)).status, 400)
  const { json: longer } = await call<SilenceRecord>('PATCH', `silences/${made.silence.id}`, { for: '5h' })
  assert.ok(Date.parse(longer.ends_at ?? '') > Date.parse(made.silence.ends_at ?? ''))
  const before = texts().length
  const { json: ended } = await call<SilenceRecord>('DELETE', `silences/${made.silence.id}?by=Bea`)
  assert.deepEqual([ended.state, ended.ended_by, ended.held?.alerts, ended.held?.firing], ['ended', 'Bea', 1, 1])
  await until(texts, (all) => all.length === before + 2)
  assert.match(texts()[before] ?? '', /over: 1 alert of 1 problem held, 0 resolved, 1 still firing, sent now/)
  assert.match(texts()[before + 1] ?? '', /Disk full/)
  assert.equal((await call('DELETE', `silences/${made.silence.id}`)).status, 409)
})

test('a silence with a cause holds while it fires, and explains so', async (t) => {
  const { call, texts, told, sent } = await service(t)
  const until_ = new Date(Date.now() + 90 * 86_400_000).toISOString()
  const request = { match: { 'labels.site': 'b' }, while: { matchers: ['service=core'] }, until: until_ }
  const { status, json: made } = await call<SilenceCreated>('POST', 'silences', {
    ...{ owner: 'Anna', comment: 'behind the switch' },
    ...request,
  })
  const { silence: record, preview } = made
  assert.deepEqual(
    [status, record.state, record.while, record.while_text],
    [201, 'scheduled', { service: 'core' }, 'service core'],
  )
  assert.deepEqual([record.ends_at, record.until, preview.causes], [null, until_, 0])
  const alert = (service_: string, state: string) => ({
    groupKey: service_,
    status: state,
    alerts: [{ status: state, labels: { alertname: `${service_} is down`, site: 'b', service: service_ } }],
  })
  await sent(alert('core', 'firing'))
  await told(/core is down/)
  await sent(alert('host', 'firing'))
  const { json: active } = await until(
    () => call<SilenceDetail>('GET', `silences/${record.id}`),
    ({ json }) => json.problems.length === 1 && json.causes.length === 1,
  )
  assert.deepEqual([active.state, active.causes[0]?.service, active.problems[0]?.service], ['active', 'core', 'host'])
  const { json: page } = await call<IncidentPage>('GET', 'incidents?notified=silenced')
  const { json: why } = await call<Explanation>('GET', `incidents/${page.incidents[0]?.id}/explain`)
  assert.match(why.decisions.find(({ stage }) => stage === 'silence')?.because ?? '', /while service core fires/)
  const { json: trial } = await call<Explanation>('POST', 'explain', { payload: alert('db', 'firing') })
  assert.match(trial.decisions.find(({ stage }) => stage === 'silence')?.because ?? '', /while service core fires/)
  const before = texts().length
  await sent(alert('core', 'resolved'))
  await until(texts, (all) => all.length === before + 3)
  assert.match(texts().slice(before).join(), /over: 1 alert of 1 problem held, 0 resolved, 1 still firing, sent now/)
  const { json: again } = await call<SilencePreview>('POST', 'silences/preview', {
    ...{ owner: 'Anna', comment: 'behind the switch' },
    ...request,
  })
  assert.deepEqual([again.causes, again.incidents], [1, 1])
})

test('wrong silences are refused with the reason', async (t) => {
  const { call } = await service(t)
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const refusals: readonly (readonly [changes: object, says: RegExp])[] = [
    [{ match: { service: '*' } }, /match fits every incident/],
    [{ match: { service: '/(/' } }, /service is not a regular expression/],
    [{ match: { host: 'a' } }, /host is not a field/],
    [{ owner: '' }, /owner must be/],
    [{ for: '31d' }, /ends_at must be at most 30 days/],
    [{ for: 'long' }, /for must be a time/],
    [{ ends_at: '2027-06-30T02:00:00Z' }, /one of ends_at and for/],
    [{ while: { match: { service: 'db-*' } }, for: undefined, until: soon }, /while fits all that match fits/],
    [{ while: { match: { host: 'x' } }, for: undefined, until: soon }, /while\.host is not a field/],
    [{ while: { match: { service: 'x' }, until: soon }, for: undefined }, /until.* is not known here/],
    [{ while: { match: { service: 'x' } } }, /for has no place beside while: write until/],
    [{ until: 'resolved' }, /for has no place beside until: write max/],
    [{ until: 'resolved', for: undefined, max: '31d' }, /max must be at most 30 days/],
    [{ until: 'resolved', for: undefined, quiet_for: '25h' }, /quiet_for must be a time from 1m to 24h/],
    [{ max: '2h' }, /max belongs to/],
    [{ quiet_for: '10m' }, /quiet_for belongs to/],
    [{ until: 'resolved', for: undefined, while: { match: { service: 'x' } } }, /has no place beside a while/],
    [{ while: 'x', for: undefined, until: soon }, /while must be/],
    [{ starts_at: '2027-06-30T02:00:00' }, /starts_at must be a time with its zone/],
    [{ for: undefined, ends_at: '2027-06-30T02:00' }, /ends_at must be a time with its zone/],
    [{ for: undefined, ends_at: '2027-06-30' }, /ends_at must be a time with its zone/],
    [{ colour: 'red' }, /colour.* is not known here/],
  ]
  for (const [changes, says] of refusals) {
    const { status, json } = await call<{ error: string }>('POST', 'silences', { ...REQUEST, ...changes })
    assert.equal(status, 400)
    assert.match(JSON.stringify(json), says)
  }
  const { status, json } = await call('POST', 'explain', { payload: DISK, at: '2027-06-30T02:00:00' })
  assert.deepEqual([status, /at must be a time with its zone/.test(JSON.stringify(json))], [400, true])
  assert.equal((await call('GET', 'silences/99')).status, 404)
  assert.deepEqual((await call<SilencePage>('GET', 'silences')).json, { silences: [], next_cursor: null })
})

test('a silence about most incidents has to say so', async (t) => {
  const { url, call } = await service(t, { alert: { console: { enable: true } } })
  await post(
    url,
    Array.from({ length: 30 }, (_, at) => ({ ...DISK, title: `Disk ${at}` })),
  )
  await until(async () => (await call<SilencePreview>('POST', 'silences/preview', REQUEST)).json.incidents === 30)
  const { status, json } = await call('POST', 'silences', REQUEST)
  assert.deepEqual([status, JSON.stringify(json).includes('would have held 30 of the last 30')], [409, true])
  const { json: made } = await call<SilenceCreated>('POST', 'silences', { ...REQUEST, broad: true })
  assert.deepEqual([made.preview.incidents, made.preview.criticals, made.preview.broad], [30, 30, true])
})

test('silences of the configuration are listed with their line, and cannot be changed elsewhere', async (t) => {
  const own = { name: 'patches', match: { service: 'db-*' }, owner: 'Anna', comment: 'weekly' }
  const [from, to] = [-3_600_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString())
  const { call } = await service(t, { silences: [{ ...own, starts_at: from, ends_at: to }] })
  const { json } = await call<SilencePage>('GET', 'silences?state=active')
  assert.deepEqual(
    json.silences.map(({ name, origin, line }) => [name, origin, line !== null]),
    [['patches', 'config', true]],
  )
  assert.equal((await call('DELETE', `silences/${json.silences[0]?.id}`)).status, 400)
})

test('tocsin silence adds with matchers, lists, extends and ends', async (t) => {
  const { url, call } = await service(t)
  process.env.GATEWAY_SECRET = SECRET
  const lines: string[] = []
  t.mock.method(console, 'log', (line: string) => void lines.push(line))
  const by = ['--owner', 'Anna', '--comment', 'disks']
  assert.equal(
    await silence.run(['add', 'service=db-*', 'title=~Disk.*', 'team!=web', '--for', '2h', ...by, '--url', url]),
    0,
  )
  const { json } = await call<SilencePage>('GET', 'silences')
  assert.deepEqual(json.silences[0]?.match, { service: 'db-*', title: '/Disk.*/', 'labels.team': '!web' })
  for (const words of [
    ['list'],
    ['preview', 'service=db-*', '--for', '1h'],
    ['preview', 'service=db-*', 'while', 'service=core', '--until', new Date(Date.now() + 3_600_000).toISOString()],
    ['extend', '1', '--for', '3h'],
    ['end', '1'],
  ])
    assert.equal(await silence.run([...words, '--url', url]), 0)
  assert.match(lines.join('\n'), /silence 1 is active.*active.*of 0 incidents.*lasts until.*silence 1 has ended/s)
})

test('a silence of one problem is made by its number', async (t) => {
  const { url, call, told, texts } = await service(t)
  await post(url, { ...DISK, title: 'Disk full' })
  await told(/Disk full/)
  const { json: page } = await until(
    () => call<ProblemPage>('GET', 'problems'),
    ({ json }) => json.problems.length === 1,
  )
  const id = page.problems[0]?.id ?? 0
  const request = { problem: id, for: '1h', owner: 'Anna', comment: 'known' }
  const { status, json: made } = await call<SilenceCreated>('POST', 'silences', request)
  assert.deepEqual([status, made.silence.problem, made.silence.name], [201, id, 'Disk full'])
  await post(url, { ...DISK, title: 'Disk full' })
  await post(url, { ...DISK, title: 'Other' })
  await told(/Other/)
  assert.equal(texts().filter((text) => /Disk full/.test(text)).length, 1)
  assert.equal((await call('POST', 'silences', { ...request, problem: id + 99 })).status, 404)
  for (const problem of ['1', 1.5, null])
    assert.equal((await call('POST', 'silences', { ...request, problem })).status, 400)
  assert.equal((await call('POST', 'silences', { ...request, match: { service: 'db' } })).status, 400)
})

test('a silence until resolved says what keeps it, and when it ends without that', async (t) => {
  const { url, call, told } = await service(t)
  const owned = { match: { service: 'db-1' }, owner: 'Anna', comment: 'known', until: 'resolved' }
  const { json: quiet } = await call<SilenceCreated>('POST', 'silences', { ...owned, quiet_for: '1h' })
  const began = Date.parse(quiet.silence.starts_at)
  assert.deepEqual([quiet.silence.quiet_for, Date.parse(quiet.silence.ends_at ?? '') - began], ['1h', 24 * 3_600_000])
  assert.ok(Date.parse(quiet.silence.quiet_ends_at ?? '') - began - 3_600_000 < 10_000)
  assert.equal((await call('DELETE', `silences/${quiet.silence.id}`)).status, 200)
  await post(url, { ...DISK })
  await told(/Disk full/)
  const { json: kept } = await call<SilenceCreated>('POST', 'silences', { ...owned, broad: true, max: '2h' })
  assert.equal(kept.silence.quiet_ends_at, null)
  const { json: detail } = await call<SilenceDetail>('GET', `silences/${kept.silence.id}`)
  assert.deepEqual(
    detail.causes.map(({ title }) => title),
    ['Disk full'],
  )
})

test('tocsin silence says that nothing keeps a silence until resolved', async (t) => {
  const { url } = await service(t)
  process.env.GATEWAY_SECRET = SECRET
  const lines: string[] = []
  t.mock.method(console, 'log', (line: string) => void lines.push(line))
  const by = ['--owner', 'Anna', '--comment', 'c', '--url', url]
  assert.equal(
    await silence.run(['add', 'service=x', '--until', 'resolved', '--quiet-for', '5m', '--max', '2h', ...by]),
    0,
  )
  assert.match(
    lines[0] ?? '',
    /^silence 1 is active, until its problems are resolved, at most until \S+; nothing that fits it fires, and it ends at/,
  )
  await assert.rejects(
    silence.run(['add', 'service=x', '--until', 'resolved', '--for', '5m', ...by]),
    /--until resolved takes --max/,
  )
  await assert.rejects(
    silence.run(['add', 'service=x', '--problem', '1', '--for', '5m', ...by]),
    /--problem takes the number/,
  )
})
