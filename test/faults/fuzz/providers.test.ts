import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FAST } from '../../harness/config-file.ts'
import { admin, operate, post } from '../../harness/net/requests.ts'
import { until } from '../../harness/until.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, startVictim } from '../victim.ts'
import { answerOf, startBadServer } from './bad-server.ts'

const known = fc.constantFrom(
  '{"ok":true,"ts":{"toString":null}}',
  '{"ok":false,"error":{"toString":null}}',
  '{"ok":false,"error_code":429,"parameters":{"retry_after":1e999}}',
  '{"ok":false,"error_code":429,"parameters":{"retry_after":-1}}',
  '{"ok":false,"error_code":429,"parameters":null,"description":{}}',
  '{"ok":true,"result":null}',
  '{"status":0,"message_token":1e999}',
  '{"status":"0","status_message":["x"]}',
  '{"code":0}',
  '{"code":"__proto__","msg":{"toJSON":1}}',
)
const CHANNELS = ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat', 'email'] as const

test('any answer of a provider ends the attempt, and the service goes on', async (t) => {
  const provider = await startBadServer(t)
  const at = { api_url: provider.url, token: 'token', channel_id: 'C1', enable: true, ...FAST }
  const victim = await startVictim(t, {
    alert: {
      chatws: at,
      msgapp: at,
      messenger: at,
      workchat: { ...at, channel_id: '' },
      officechat: { enable: true, flow_url: `${provider.url}/flow`, ...FAST },
      email: {
        enable: true,
        smtp_host: '127.0.0.1',
        smtp_port: provider.port,
        from: 'a@b.c',
        to: 'd@e.f',
        tls: 'none',
        ...FAST,
      },
    },
    oncall: { enable: true, wait_minutes: 0, provider: 'webhook', webhook: { url: `${provider.url}/page` } },
    delivery: {
      attempts: 2,
      backoff: { initial: '10ms', max: '20ms' },
      timeout: '500ms',
      circuit: { failures: 1_000_000 },
    },
  })
  const before = victim.rss()
  const arbitrary = fc.tuple(fc.constantFrom(...CHANNELS), answerOf(known), fc.boolean())
  await holdsFor(t, { share: 0.08, arbitrary }, async ([channel, next, incident]) => {
    provider.next = next
    if (incident) await (await post(victim.url, { title: 'to everybody' })).arrayBuffer()
    const trial = await operate(`${victim.url}/api/admin/channels/${channel}/test`)
    const reply = await trial.text()
    assert.equal(trial.status, 200, `${channel}: ${trial.status} ${reply}`)
    assert.ok(reply.length < 20_000, reply)
  })
  provider.next = { status: 400, headers: [], body: Buffer.of(), raw: null, cut: null, mail: ['550 no'] }
  const open = async () =>
    (await admin<{ storage: { unfinished_deliveries: number } }>(victim.url, '/api/admin/stats')).storage
      .unfinished_deliveries
  await until(open, (left) => left === 0, { everyMs: 200 })
  await victim.assertSound()
  assertBounded(before, victim.rss())
})
