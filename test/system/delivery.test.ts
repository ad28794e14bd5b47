import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, post } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

test('an incident reaches every enabled channel, and its record has each attempt', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  const answer = await post(system.url, { ServiceName: 'ledger', Logs: 'cannot write entry 4711' })
  assert.equal(answer.status, 201)
  assert.deepEqual(await answer.json(), { status: 'Incident created' })
  for (const provider of [chat, flow]) await provider.waitFor(({ body }) => body.includes('cannot write entry 4711'))

  const detail = await settled(system.url, answer.headers.get('x-incident-id') ?? '')
  assert.equal(detail.notify_status, 'sent')
  assert.deepEqual(detail.content, { ServiceName: 'ledger', Logs: 'cannot write entry 4711' })
  assert.deepEqual(
    detail.deliveries.map(({ channel, state, attempts }) => [channel, state, attempts.length]),
    [
      ['chatws', 'sent', 1],
      ['officechat', 'sent', 1],
    ],
  )
})

test('the stages of each attempt add up to the whole way of the incident', async (t) => {
  const { chat, alert } = await twoChannels(t)
  chat.next({ status: 503, body: 'busy' })
  const system = await startTestSystem(t, configFile(folder(), { alert: { chatws: alert.chatws } }))
  const answer = await post(system.url, { ServiceName: 'ledger' })
  const { stages, deliveries } = await settled(system.url, answer.headers.get('x-incident-id') ?? '')
  const attempts = deliveries[0]?.attempts ?? []
  assert.equal(attempts.length, 2)
  for (const each of attempts) {
    const waited = each.queued_ms + each.render_ms + each.limiter_wait_ms
    assert.ok(Math.abs(Date.parse(each.handed_out_at) + waited - Date.parse(each.started_at)) < 1)
    assert.ok(each.committed_at <= each.handed_out_at && each.committed_at === stages.committed_at)
  }
  const [first, second] = attempts
  assert.ok(first && second && first.connected_ms !== null && first.connected_ms <= first.confirmed_ms)
  assert.equal(second.connected_ms, null)
  assert.equal(Math.trunc(Date.parse(second.started_at) + second.confirmed_ms), Date.parse(stages.notified_at))
})

interface Attempt {
  readonly outcome: string
  readonly committed_at: string
  readonly handed_out_at: string
  readonly started_at: string
  readonly queued_ms: number
  readonly render_ms: number
  readonly limiter_wait_ms: number
  readonly connected_ms: number | null
  readonly confirmed_ms: number
}

interface Detail {
  readonly stages: { readonly committed_at: string; readonly notified_at: string }
  readonly notify_status: string
  readonly content: unknown
  readonly deliveries: readonly {
    readonly channel: string
    readonly state: string
    readonly dead_reason: string | null
    readonly attempts: readonly Attempt[]
  }[]
}

/** Returns the incident when its last delivery has ended. */
async function settled(url: string, id: string): Promise<Detail> {
  const detail = () => admin<Detail>(url, `/api/admin/incidents/${id}`)
  return until(detail, ({ notify_status }) => notify_status !== 'pending')
}
