import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operate } from '../harness/net/requests.ts'
import { type Alert, HOUR, type Silence, silence, start } from './setup.ts'

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

test('a silence with equal inhibits what has the values of a cause', async (t) => {
  const until = new Date(Date.now() + 100 * HOUR).toISOString()
  const { get, fire } = await start(t, {
    silences: [
      {
        name: 'louder',
        match: { severity: 'warning' },
        while: { match: { severity: 'critical' }, equal: ['alertname'] },
        until,
        owner: 'x',
        comment: 'y',
      },
    ],
  })
  await fire(
    { alertname: 'Disk', severity: 'critical' },
    { alertname: 'Disk', severity: 'warning' },
    { alertname: 'Slow', severity: 'warning' },
  )
  const alerts = await get<Alert[]>('/api/v2/alerts')
  const [cause] = alerts.filter(({ status, labels }) => labels.alertname === 'Disk' && status.state === 'active')
  assert.deepEqual(
    alerts
      .filter(({ status }) => status.state === 'suppressed')
      .map(({ labels, status }) => [labels.alertname, status.inhibitedBy]),
    [['Disk', [cause?.fingerprint]]],
  )
  assert.deepEqual(await get('/api/v2/silences'), [])
})

test('explain knows each of several matchers on one label', async (t) => {
  const { system, send } = await start(t)
  const matchers = [
    { name: 'x', value: 'a.*', isRegex: true, isEqual: true },
    { name: 'x', value: 'ab', isRegex: false, isEqual: false },
  ]
  assert.equal((await send('POST', '/api/v2/silences', silence({ matchers }))).status, 200)
  for (const [x, holds] of [
    ['ac', true],
    ['ab', false],
    ['b', false],
  ] as const) {
    const payload = {
      version: '4',
      status: 'firing',
      groupLabels: {},
      commonLabels: { alertname: 'A', x },
      alerts: [{ labels: { alertname: 'A', x } }],
    }
    const answer = await operate(`${system.url}/api/admin/explain`, { payload })
    const text = await answer.text()
    assert.equal(text.includes('"verdict":"hold"'), holds, x)
  }
})
