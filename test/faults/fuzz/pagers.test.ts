import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { admin, post } from '../../harness/net/requests.ts'
import { until } from '../../harness/until.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, startVictim } from '../victim.ts'
import { answerOf, startBadServer } from './bad-server.ts'

const known = fc.constantFrom(
  '{"status":"success","dedup_key":{"toString":null}}',
  '{"status":"invalid event","errors":[{"toJSON":1}]}',
  '{"status":"success"}',
  '{"status":["success"]}',
  '{"type":"authentication_error","status":401,"errors":null}',
  '{"message":"Event processed","dedup_key":1e999}',
)
const PROVIDERS = ['webhook', 'pagerduty', 'incident_io', 'aws_incident_manager', 'servicenow'] as const

interface Stats {
  readonly oncall: { readonly paged_total: { readonly sent: number; readonly failed: number } }
}

for (const provider of PROVIDERS)
  test(`any answer of a pager ends the page, and the service goes on: ${provider}`, async (t) => {
    const badServer = await startBadServer(t, { ends: true })
    const victim = await startVictim(t, {
      oncall: {
        enable: true,
        wait_minutes: 0,
        provider,
        webhook: { url: `${badServer.url}/page`, secret: 'the secret of the pager' },
        pagerduty: { routing_key: 'the secret of the pager', api_url: badServer.url },
        incident_io: { api_key: 'the secret of the pager', alert_source_config_id: 'cfg', api_url: badServer.url },
        aws_incident_manager: {
          response_plan_arn: 'arn:aws:ssm-incidents::111122223333:response-plan/test',
          ...{ region: 'eu-north-1', access_key_id: 'AKIATEST', secret_access_key: 'the secret of the pager' },
          api_url: badServer.url,
        },
        servicenow: { instance_url: badServer.url, username: 'tocsin', password: 'the secret of the pager' },
      },
      delivery: {
        attempts: 2,
        backoff: { initial: '10ms', max: '20ms' },
        timeout: '500ms',
        circuit: { failures: 1_000_000 },
      },
    })
    const ended = async () => {
      const { oncall } = await admin<Stats>(victim.url, '/api/admin/stats')
      return oncall.paged_total.sent + oncall.paged_total.failed
    }
    const before = victim.rss()
    let pages = 0
    await holdsFor(t, { share: 0.03, arbitrary: answerOf(known) }, async (next) => {
      badServer.next = next
      const { status } = await post(victim.url, { title: `page ${++pages}`, severity: 'critical' })
      assert.equal(status, 201)
      await until(ended, (count) => count >= pages)
    })
    assert.ok(!victim.output().includes('the secret of the pager'))
    await victim.assertSound()
    assertBounded(before, victim.rss())
  })
