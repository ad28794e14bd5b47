import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

test('HTTP 429 is tried again after its delay, and HTTP 200 with a refusal in the body is dead at once', async (t) => {
  const { chat, alert } = await twoChannels(t)
  chat.next({ status: 429, headers: { 'Retry-After': '0.05' }, body: { ok: false, error: 'ratelimited' } })
  const { url } = await startTestSystem(t, configFile(folder(), { alert: { chatws: alert.chatws } }))
  const deliveryOf = async (ServiceName: string) => {
    const id = (await post(url, { ServiceName })).headers.get('x-incident-id')
    const detail = () => admin<IncidentDetail>(url, `/api/admin/incidents/${id}`)
    const { deliveries } = await until(detail, ({ notify_status }) => notify_status !== 'pending')
    const [delivery] = deliveries
    return { ...delivery, outcomes: delivery?.attempts.map(({ outcome }) => outcome) }
  }
  const limited = await deliveryOf('rate-limited')
  assert.deepEqual([limited.state, limited.outcomes], ['sent', ['retry', 'sent']])

  chat.script = () => ({ status: 200, body: { ok: false, error: 'channel_not_found' } })
  const refused = await deliveryOf('refused')
  assert.deepEqual([refused.state, refused.outcomes], ['dead', ['failed']])
  assert.match(refused.dead_reason ?? '', /channel_not_found/)
})
