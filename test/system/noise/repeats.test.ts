import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { DigestDetail, DigestPage } from '../../../src/api/noise/digest.ts'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { scrapeOf } from '../../harness/metrics.ts'
import { admin, post, SECRET } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const ALERT = { title: 'Disk full', ServiceName: 'orders-db', severity: 'warning' }

const isSent = ({ notify_status }: IncidentPage['incidents'][number]) => notify_status === 'sent'

test('repeats of a problem are no messages, and the message of its end tells of them in the thread', async (t) => {
  const chat = await startStandIn(t, 'chatws')
  const alert = { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url } }
  const noise = { repeats: { mode: 'fold' } }
  const { url } = await startTestSystem(t, configFile(folder(), { alert, noise, metrics: { enable: true } }))
  const ask = <T>(path: string) => admin<T>(url, `/api/admin/${path}`)
  const allAre = (state: string, count: number) =>
    until(
      () => ask<IncidentPage>(`incidents?notified=${state}`),
      ({ incidents }) => incidents.length === count,
    )

  const trial = async (payload: object) => {
    const request = { method: 'POST', body: JSON.stringify({ payload }) }
    const headers = { 'X-Gateway-Secret': SECRET, 'Content-Type': 'application/json' }
    const answer = await fetch(`${url}/api/admin/explain`, { ...request, headers })
    const { decisions: steps } = (await answer.json()) as Explanation
    const { verdict, because: why, digest: number } = steps.find(({ stage }) => stage === 'destination') ?? {}
    return { verdict, why, number }
  }
  const unknown = await trial(ALERT)
  assert.deepEqual([unknown.verdict, /no problem of its fingerprint fires/.test(unknown.why ?? '')], ['send', true])
  await post(url, [ALERT])
  const { incidents: first } = await until(
    () => ask<IncidentPage>('incidents'),
    ({ incidents }) => incidents.length === 1 && incidents.every(isSent),
  )
  const start = await trial(ALERT)
  assert.deepEqual([start.verdict, start.number], ['fold', null])
  assert.match(start.why ?? '', /its problem fires since .*: the first place beside the message of the problem/)
  await post(url, [ALERT, ALERT, ALERT])
  const { incidents: repeats } = await allAre('digest', 3)
  const { deliveries } = await ask<IncidentDetail>(`incidents/${repeats[0]?.id}`)
  assert.deepEqual(
    deliveries.map(({ state, via }) => [state, via?.kind, via?.place, via?.update]),
    [['folded', 'repeats', 3, null]],
  )
  const { decisions } = await ask<Explanation>(`incidents/${repeats[0]?.id}/explain`)
  const because = decisions.find(({ stage }) => stage === 'destination')?.because ?? ''
  assert.match(because, /its problem fired already.*digest 1, place 3, no update has it yet/)
  const more = await trial(ALERT)
  assert.deepEqual([more.verdict, more.number, /place 4 of digest 1, beside/.test(more.why ?? '')], ['fold', 1, true])
  const louder = await trial({ ...ALERT, severity: 'critical' })
  assert.deepEqual([louder.verdict, /it is louder than its problem so far/.test(louder.why ?? '')], ['send', true])
  assert.deepEqual((await ask<DigestPage>('digests')).digests, [], 'it is no storm')
  const digest = await ask<DigestDetail>('digests/1')
  assert.deepEqual(
    [digest.kind, digest.state, digest.incidents, digest.notified, digest.stored],
    ['repeats', 'open', 3, 0, 3],
  )
  assert(Date.parse(digest.next_update_at ?? '') > Date.parse(digest.opened_at))

  await post(url, [{ ...ALERT, status: 'resolved' }])
  await until(
    () => ask<IncidentPage>('incidents'),
    ({ incidents }) => incidents.length === 5 && incidents.every(isSent),
  )
  const posts = chat.requests.map(({ body }) => JSON.stringify(body))
  assert.equal(posts.length, 2)
  assert.match(posts[1] ?? '', /🔁 ×4, fired for \d+ s/)
  assert.match(posts[1] ?? '', /thread_ts/)
  const told = await ask<IncidentDetail>(`incidents/${repeats[0]?.id}`)
  assert.deepEqual(
    [told.notify_status, told.deliveries[0]?.state, told.deliveries[0]?.via?.update],
    ['sent', 'sent', 1],
  )
  assert.equal((await ask<DigestDetail>('digests/1')).state, 'closed')
  assert.equal((await ask<IncidentDetail>(`incidents/${first[0]?.id}`)).deliveries[0]?.via, null)
  const { values } = scrapeOf(await (await fetch(`${url}/metrics`)).text())
  assert.equal(values.get('tocsin_repeats_folded_total{channel="chatws"}'), 3)
})
