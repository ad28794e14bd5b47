import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SECRET } from '../harness/net/requests.ts'
import { type Alert, type Group, silence, start } from './setup.ts'

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

test('tools find the version and the silences in the metrics', async (t) => {
  const { system, send, fire } = await start(t)
  await fire({ alertname: 'A' })
  await send('POST', '/api/v2/silences', silence())
  const text = await (await fetch(`${system.url}/metrics`)).text()
  assert.match(text, /^alertmanager_build_info\{version="0\.34\.0"\} 1$/m)
  assert.match(text, /^alertmanager_alerts\{state="active"\} 1$/m)
  assert.match(text, /^alertmanager_silences\{state="active"\} 1$/m)
})
