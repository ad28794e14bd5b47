import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentPage } from '../../../src/api/incident.ts'
import type { ProblemDetail, ProblemPage, ProblemRecord } from '../../../src/api/noise/problem.ts'
import type { Stats } from '../../../src/api/stats.ts'
import { problems } from '../../../src/commands/noise/problems.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { scrapeOf } from '../../harness/metrics.ts'
import { admin, operate, post, SECRET } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const alertmanager = (name: string, status: 'firing' | 'resolved', [startsAt, endsAt]: readonly string[]) => ({
  version: '4',
  groupKey: `{}:{alertname="${name}"}`,
  status,
  commonLabels: { alertname: name, service: 'db', severity: 'critical' },
  alerts: [{ status, fingerprint: 'a1b2', labels: { alertname: name }, startsAt, endsAt }],
})

test('a service lists problems, pairs what a sender resolves, and lets people acknowledge and resolve', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder(), { alert: {} }))
  const ask = <T>(path: string) => admin<T>(url, `/api/admin/${path}`)
  const act = async (id: number, action: string, body: unknown) => {
    const response = await operate(`${url}/api/admin/problems/${id}/${action}`, body)
    return { status: response.status, json: (await response.json()) as ProblemRecord }
  }
  const times = ['2030-01-01T00:00:00Z', '2030-01-01T00:05:00.5Z']
  await post(url, alertmanager('Disk full', 'firing', times))
  await post(url, alertmanager('Disk full', 'firing', times))
  await post(url, alertmanager('Slow', 'firing', times))
  const listed = await until(
    () => ask<ProblemPage>('problems?status=firing'),
    (page) => page.firing === 2 && page.problems.some(({ firing }) => firing === 2),
  )
  const disk = listed.problems.find(({ title }) => title === 'Disk full')
  assert(disk)
  assert.deepEqual([disk.level, disk.sender, disk.service, disk.acked_by], ['critical', 'grouped_alerts', 'db', null])
  assert.equal((await act(disk.id, 'ack', { by: 'Ada' })).json.acked_by, 'Ada')
  assert.equal((await ask<ProblemPage>('problems?acknowledged=true')).problems[0]?.id, disk.id)

  await post(url, alertmanager('Disk full', 'resolved', times))
  // A second copy of what was resolved, which its sender was late to deliver.
  await post(url, alertmanager('Disk full', 'firing', times))
  const detail = await until(
    () => ask<ProblemDetail>(`problems/${disk.id}`),
    ({ incidents }) => incidents.length === 4,
  )
  assert.deepEqual([detail.state, detail.ended_by, detail.firing_total], ['resolved', 'sender', 3])
  assert.deepEqual(
    detail.incidents.map(({ status, reported_status, resolved_by }) => [status, reported_status, resolved_by !== null]),
    [
      ['resolved', 'firing', true],
      ['resolved', 'resolved', false],
      ['resolved', 'firing', true],
      ['resolved', 'firing', true],
    ],
  )
  const { incidents } = await ask<IncidentPage>('incidents?status=firing')
  assert.deepEqual(
    incidents.map(({ title }) => title),
    ['Slow'],
  )
  const stats = await until(
    () => ask<Stats>('stats'),
    ({ attention }) => attention.problems === 1,
  )
  assert.equal(stats.attention.problems, 1)
  const { values } = scrapeOf(await (await fetch(`${url}/metrics`)).text())
  assert.equal(values.get('tocsin_problems_firing'), 1)

  const slow = listed.problems.find(({ title }) => title === 'Slow')
  const resolved = await act(slow?.id ?? 0, 'resolve', {})
  assert.deepEqual([resolved.json.state, resolved.json.ended_by], ['resolved', 'person'])
  assert.equal((await act(99, 'resolve', {})).status, 404)
  assert.equal((await act(disk.id, 'ack', { by: 7 })).status, 400)

  const lines: string[] = []
  t.mock.method(console, 'log', (line: string) => lines.push(line))
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  assert.equal(await problems.run(['--url', url]), 0)
  assert.equal(await problems.run(['--url', url, String(disk.id)]), 0)
  assert.match(lines[0] ?? '', /Disk full.*\n(?:.*\n)*0 fire/)
  assert.match(lines[1] ?? '', /problem \d+: Disk full, resolved since/)
})
