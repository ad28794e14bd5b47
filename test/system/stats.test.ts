import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stats } from '../../src/api/stats.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, post } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

test('stats count accepted, refused and delivered incidents, and show the state of each thread and actor', async (t) => {
  const { chat, alert } = await twoChannels(t)
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  const stats = () => admin<Stats>(system.url, '/api/admin/stats')
  for (const severity of ['critical', 'warning', 'odd']) await post(system.url, { title: 'full', severity })
  await post(system.url, [{ a: 1 }, { a: 2 }])
  await post(system.url, '{"a":')
  await post(system.url, '[]')
  await chat.waitFor(() => chat.requests.length >= 5)
  // A thread that a busy machine keeps from answering is shown as silent.
  const isPartial = ({ deliveries, threads }: Stats) =>
    Object.values(deliveries).some(({ sent_total, backlog }) => sent_total < 5 || backlog !== 0) ||
    Object.values(threads).some(({ state }) => state === 'silent')
  const seen = await until(stats, (each) => !isPartial(each))
  assert.equal(seen.ingest.accepted_total, 5)
  assert.deepEqual(seen.ingest.refused_total, { body_not_json: 1, array_empty: 1 })
  assert.ok((seen.ingest.commit_ms.p99 ?? 0) > 0 && (seen.ingest.batch_size.p50 ?? 0) >= 1)
  assert.deepEqual(Object.keys(seen.deliveries).sort(), ['chatws', 'officechat'])
  assert.ok((seen.deliveries.chatws?.latency_ms.p95 ?? 0) > 0)
  assert.deepEqual([seen.deliveries.chatws?.backlog, seen.deliveries.chatws?.oldest_pending_age_ms], [0, null])
  assert.deepEqual(Object.keys(seen.threads).sort(), ['journal', 'main', 'send', 'store'])
  for (const { state, utilization } of Object.values(seen.threads))
    assert.ok(state === 'up' && (utilization ?? -1) >= 0 && (utilization ?? 2) <= 1)
  for (const name of ['ingest', 'journal', 'sender/chatws', 'sender/officechat', 'storage'])
    assert.equal(seen.actors[name]?.state, 'up', name)
  assert.equal(seen.storage?.incidents, 5)
  assert.equal(seen.attention.dead, 0)
})

test('counts survive a reload that restarts threads', async (t) => {
  const { flow, alert } = await twoChannels(t)
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir, { alert }))
  const stats = () => admin<Stats>(system.url, '/api/admin/stats')
  await post(system.url, { a: 1 })
  await flow.waitFor(() => flow.requests.length >= 1)
  await until(stats, ({ deliveries }) => deliveries.officechat?.sent_total === 1)
  await system.reloadFrom(configFile(dir, { alert, templates: { deadline: '400ms' } }))
  assert.equal((await stats()).deliveries.officechat?.sent_total, 1)
})
