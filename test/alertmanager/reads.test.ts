import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { SECRET } from '../harness/requests.ts'
import { startTestSystem } from '../harness/system.ts'

const HOUR = 3_600_000

interface Alert {
  readonly labels: { readonly alertname: string }
  readonly fingerprint: string
  readonly status: { readonly state: string; readonly silencedBy: string[]; readonly inhibitedBy: string[] }
}

interface Group {
  readonly labels: object
  readonly receiver: { readonly name: string }
  readonly alerts: readonly Alert[]
}

interface Silence {
  readonly id: string
  readonly status: { readonly state: string }
  readonly matchers: readonly object[]
  readonly startsAt: string
  readonly endsAt: string
  readonly annotations?: object
}

async function start(t: TestContext, more: object = {}) {
  const system = await startTestSystem(t, configFile(folder(), { alert: { console: { enable: true } }, ...more }))
  const send = (method: string, path: string, json?: unknown, authorization = `Bearer ${SECRET}`) =>
    fetch(system.url + path, {
      method,
      headers: {
        ...(authorization && { authorization }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
  const get = async <T>(path: string): Promise<T> => {
    const response = await send('GET', path)
    assert.equal(response.status, 200, path)
    return (await response.json()) as T
  }
  const fire = async (...alerts: readonly object[]) => {
    const endsAt = new Date(Date.now() + HOUR).toISOString()
    const answer = await send(
      'POST',
      '/api/v2/alerts',
      alerts.map((labels) => ({ labels, endsAt })),
    )
    assert.equal(answer.status, 200)
  }
  return { system, send, get, fire }
}

const silence = (change: object = {}) => ({
  matchers: [{ name: 'alertname', value: 'A', isRegex: false, isEqual: true }],
  startsAt: new Date().toISOString(),
  endsAt: new Date(Date.now() + HOUR).toISOString(),
  createdBy: 'anna',
  comment: 'disks',
  ...change,
})

test('reads and silences need the gateway secret, in any of its forms; probes need none', async (t) => {
  const { send } = await start(t)
  for (const path of ['alerts', 'alerts/groups', 'silences', 'silence/x', 'status', 'receivers']) {
    const refused = await send('GET', `/api/v2/${path}`, undefined, '')
    assert.equal(refused.status, 401, path)
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer')
    assert.equal(typeof (await refused.json()), 'string')
  }
  const basic = `Basic ${Buffer.from(`grafana:${SECRET}`).toString('base64')}`
  assert.equal((await send('GET', '/api/v2/status', undefined, basic)).status, 200)
  assert.equal((await send('POST', '/api/v2/silences', silence(), 'Bearer wrong')).status, 401)
  for (const path of ['/-/healthy', '/-/ready']) {
    const probe = await send('GET', path, undefined, '')
    assert.deepEqual([probe.status, await probe.text()], [200, 'OK'])
    assert.equal((await send('HEAD', path, undefined, '')).status, 200)
  }
  const gone = await send('GET', '/api/v1/alerts', undefined, '')
  assert.deepEqual([gone.status, typeof (await gone.json())], [410, 'string'])
})

test('a door that is off answers like an unknown path', async (t) => {
  const { send } = await start(t, { intake: { alertmanager: { enable: false } } })
  for (const path of ['/api/v2/alerts', '/api/v2/status', '/-/healthy', '/-/ready', '/api/v1/alerts'])
    assert.equal((await send('GET', path)).status, 404, path)
})

test('without a gateway secret nothing can be read', async (t) => {
  const { send } = await start(t, { gateway_secret: '' })
  assert.equal((await send('GET', '/api/v2/alerts')).status, 404)
})

test('groups are those of the rules, and a group that is held as a whole can be left out', async (t) => {
  const { get, fire, send } = await start(t, {
    noise: { group: { by: ['labels.cluster'], interval: '5m' } },
    routes: [
      { name: 'pay', match: { 'labels.team': 'pay' }, continue: true, group: { by: ['service', 'labels.none'] } },
      { name: 'all of it', match: { 'labels.team': 'pay' }, group: 'none' },
    ],
  })
  await fire(
    { alertname: 'A', cluster: 'x', team: 'pay', service: 'db' },
    { alertname: 'B', cluster: 'x' },
    { alertname: 'C', cluster: 'x' },
    { alertname: 'D' },
  )
  const groups = await get<Group[]>('/api/v2/alerts/groups')
  assert.deepEqual(
    groups.map(({ labels, receiver, alerts }) => [
      labels,
      receiver.name,
      alerts.map((each) => each.labels.alertname).sort(),
    ]),
    [
      [{}, 'default', ['D']],
      [{ cluster: 'x' }, 'default', ['B', 'C']],
      [{ tocsin_service: 'db' }, 'pay', ['A']],
      [{ alertname: 'A', cluster: 'x', service: 'db', team: 'pay' }, 'all of it', ['A']],
    ],
  )
  const named = await get<Group[]>('/api/v2/alerts/groups?receiver=pay|other')
  assert.deepEqual(
    named.map(({ receiver }) => receiver.name),
    ['pay'],
  )
  const byLabels = await get<Alert[]>('/api/v2/alerts?receiver_matchers=console%3Ddefault&filter=alertname%3DB')
  assert.equal(byLabels.length, 1)
  await send('POST', '/api/v2/silences', silence())
  const open = await get<Group[]>('/api/v2/alerts/groups?muted=false')
  assert.deepEqual(
    open.map(({ receiver }) => receiver.name),
    ['default', 'default'],
  )
  assert.deepEqual(await get('/api/v2/receivers'), [
    { name: 'default', labels: { console: 'default' } },
    { name: 'pay', labels: { console: 'default' } },
    { name: 'all of it', labels: { console: 'default' } },
  ])
})

test('a silence is returned as it was sent, is changed in place, and is replaced', async (t) => {
  const { get, send } = await start(t)
  const post = async (body: object) =>
    (await send('POST', '/api/v2/silences', body)).json() as Promise<{ silenceID: string }>
  const matchers = [
    { name: 'x', value: 'a*', isRegex: false, isEqual: true },
    { name: 'x', value: '/b/|', isRegex: true, isEqual: false },
  ]
  const { silenceID: id } = await post(silence({ matchers, annotations: { link: 'y' } }))
  const first = await get<Silence>(`/api/v2/silence/${id}`)
  assert.deepEqual([first.matchers, first.annotations, first.status.state], [matchers, { link: 'y' }, 'active'])
  const { silenceID: same } = await post(
    silence({ id, matchers, startsAt: first.startsAt, endsAt: new Date(Date.now() + 2 * HOUR).toISOString() }),
  )
  assert.equal(same, id)
  const { silenceID: other } = await post(silence({ id, startsAt: first.startsAt }))
  assert.notEqual(other, id)
  assert.equal((await get<Silence>(`/api/v2/silence/${id}`)).status.state, 'expired')
  const later = silence({
    startsAt: new Date(Date.now() + HOUR).toISOString(),
    endsAt: new Date(Date.now() + 2 * HOUR).toISOString(),
  })
  const { silenceID: pending } = await post(later)
  assert.deepEqual(
    (await get<Silence[]>('/api/v2/silences')).map((each) => [each.id, each.status.state]),
    [
      [other, 'active'],
      [pending, 'pending'],
      [id, 'expired'],
    ],
  )
  assert.equal((await get<Silence[]>('/api/v2/silences?filter=alertname%3DA&expired=false&pending=false')).length, 1)
  assert.equal((await send('DELETE', `/api/v2/silence/${other}`)).status, 200)
  assert.equal((await send('DELETE', `/api/v2/silence/${other}`)).status, 200)
  for (const method of ['GET', 'DELETE'])
    assert.equal((await send(method, '/api/v2/silence/7d4ddc15-3d8c-4b5f-8f0d-6d7c9d2f8a10')).status, 404)
  assert.equal(
    (await send('POST', '/api/v2/silences', silence({ id: '7d4ddc15-3d8c-4b5f-8f0d-6d7c9d2f8a10' }))).status,
    404,
  )
})

test('a silence that is too long or has a bad matcher is refused with the reason', async (t) => {
  const { send } = await start(t)
  const refused = async (change: object) => {
    const answer = await send('POST', '/api/v2/silences', silence(change))
    assert.equal(answer.status, 400)
    return String(await answer.json())
  }
  assert.match(
    await refused({ endsAt: new Date(Date.now() + 31 * 24 * HOUR).toISOString() }),
    /endsAt must be at most 30 days/,
  )
  assert.match(await refused({ matchers: [{ name: 'a', value: '(', isRegex: true }] }), /\(/)
  assert.match(await refused({ createdBy: 'x'.repeat(101) }), /createdBy/)
})

test('a silence that would have held most incidents needs a comment that begins with broad:', async (t) => {
  const { get, send, fire } = await start(t)
  for (let nth = 0; nth < 21; nth++) await fire({ alertname: 'A', nth: String(nth) })
  await get('/api/v2/alerts')
  const answer = await send('POST', '/api/v2/silences', silence())
  assert.equal(answer.status, 400)
  assert.match(String(await answer.json()), /21 of the last 21 incidents: .*broad:/)
  assert.equal((await send('POST', '/api/v2/silences', silence({ comment: 'broad: all of it' }))).status, 200)
})

test('silences of the configuration are shown and cannot be changed; those with causes inhibit', async (t) => {
  const until = new Date(Date.now() + 100 * HOUR).toISOString()
  const { get, send, fire } = await start(t, {
    silences: [
      {
        name: 'patch',
        match: { service: ['db-*', 'storage'] },
        starts_at: new Date().toISOString(),
        ends_at: until,
        owner: 'x',
        comment: 'y',
      },
      {
        name: 'behind',
        match: { 'labels.site': 'berlin' },
        while: { match: { 'labels.alertname': 'SwitchDown' } },
        until,
        owner: 'x',
        comment: 'y',
      },
    ],
  })
  const [shown, ...others] = await get<Silence[]>('/api/v2/silences')
  assert.equal(others.length, 0)
  assert.deepEqual(shown?.matchers, [
    { name: 'tocsin_service', value: '(?:db-.*)|(?:storage)', isRegex: true, isEqual: true },
  ])
  for (const answer of [
    await send('DELETE', `/api/v2/silence/${shown?.id}`),
    await send('POST', '/api/v2/silences', silence({ id: shown?.id })),
  ])
    assert.match(`${answer.status} ${await answer.json()}`, /^400 .*config\.yaml:\d+/)
  await fire(
    { alertname: 'SwitchDown', site: 'berlin' },
    { alertname: 'HostDown', site: 'berlin' },
    { alertname: 'Slow', service: 'db-1' },
  )
  const alerts = await get<Alert[]>('/api/v2/alerts')
  const of = (name: string) => alerts.find(({ labels }) => labels.alertname === name)
  assert.equal(of('SwitchDown')?.status.state, 'active')
  assert.deepEqual(of('HostDown')?.status.inhibitedBy, [of('SwitchDown')?.fingerprint])
  assert.deepEqual(of('Slow')?.status.silencedBy, [shown?.id])
  assert.deepEqual(
    (await get<Alert[]>('/api/v2/alerts?inhibited=false&silenced=false')).map((each) => each.labels.alertname),
    ['SwitchDown'],
  )
})

test('tools find the version and the silences in the metrics', async (t) => {
  const { system, send, fire } = await start(t)
  await fire({ alertname: 'A' })
  await send('POST', '/api/v2/silences', silence())
  const text = await (await fetch(`${system.url}/metrics`)).text()
  assert.match(text, /^alertmanager_build_info\{version="0\.34\.0"\} 1$/m)
  assert.match(text, /^alertmanager_alerts\{state="active"\} 1$/m)
  assert.match(text, /^alertmanager_silences\{state="active"\} 1$/m)
})
