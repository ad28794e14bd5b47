import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { DigestDetail, DigestPage } from '../../../src/api/noise/digest.ts'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import { digests } from '../../../src/commands/noise/digests.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { scrapeOf } from '../../harness/metrics.ts'
import { admin, post, SECRET } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const alertOf = (host: string, more: object = {}) => ({
  ...{ title: `Disk of ${host} is full`, ServiceName: host, severity: 'warning', labels: { cluster: 'eu', host } },
  ...more,
})

/** Returns what `tocsin digests` prints with these words. */
async function printedBy(t: TestContext, url: string, ...words: string[]): Promise<string> {
  const log = t.mock.method(console, 'log', () => {})
  process.env.GATEWAY_SECRET = SECRET
  try {
    assert.equal(await digests.run(['--url', url, ...words]), 0)
    return log.mock.calls.map(({ arguments: [text] }) => text).join('\n')
  } finally {
    delete process.env.GATEWAY_SECRET
    log.mock.restore()
  }
}

test('alerts with equal labels share a message, which is sent at once and edited, until the last one is over', async (t) => {
  const chat = await startStandIn(t, 'chatws')
  const pager = await startStandIn(t, 'webhook')
  const alert = { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url } }
  const oncall = { enable: true, wait_minutes: 0, provider: 'webhook', webhook: { url: pager.url } }
  const noise = { group: { by: ['labels.cluster', 'labels.team'] } }
  const file = configFile(folder(), { alert, oncall, noise, metrics: { enable: true } })
  const { url } = await startTestSystem(t, file)
  const ask = <T>(path: string) => admin<T>(url, `/api/admin/${path}`)
  const told = (count: number) =>
    until(
      () => ask<IncidentPage>('incidents'),
      ({ incidents }) => incidents.length === count && incidents.every((each) => each.notify_status === 'sent'),
    )
  const stepsOf = ({ decisions }: Explanation, ...stages: string[]) =>
    decisions.filter(({ stage }) => stages.includes(stage)).map(({ verdict, because }) => `${verdict}: ${because}`)
  const trial = async (payload: object) => {
    const headers = { 'X-Gateway-Secret': SECRET, 'Content-Type': 'application/json' }
    const answer = await fetch(`${url}/api/admin/explain`, {
      method: 'POST',
      body: JSON.stringify({ payload }),
      headers,
    })
    return stepsOf((await answer.json()) as Explanation, 'group', 'destination')
  }

  await post(url, [alertOf('a')])
  await told(1)
  assert.equal(chat.posts, 1)
  const [group = '', destination = ''] = await trial(alertOf('b'))
  assert.match(group, /^eu: noise\.group groups by labels\.cluster, labels\.team$/)
  assert.match(destination, /^fold: its group has a message: place 1 of digest \d+, which/)
  assert.match((await trial(alertOf('b', { labels: {} })))[0] ?? '', /^no: .*of which it has none$/)
  await post(url, [alertOf('b'), alertOf('c')])
  const { incidents } = await told(3)
  assert.deepEqual([chat.posts, chat.edits], [1, 1])
  const text = JSON.stringify(chat.requests.at(-1)?.json)
  assert.match(text, /Disk of a is full/)
  assert.match(text, /👥 Group \d+: 3 problems \(\+2\), all fire\\n🟠 /)
  const { deliveries } = await ask<IncidentDetail>(`incidents/${incidents[0]?.id}`)
  const via = deliveries[0]?.via
  assert.deepEqual([via?.kind, via?.place, via?.update], ['group', 2, 1])
  const explained = await ask<Explanation>(`incidents/${incidents[0]?.id}/explain`)
  assert.match(stepsOf(explained, 'destination')[0] ?? '', /the message of its group tells of it: digest \d+, place 2/)
  const digest = await ask<DigestDetail>(`digests/${via?.digest}`)
  assert.deepEqual([digest.kind, digest.state, digest.problems, digest.incidents], ['group', 'open', 3, 2])
  assert.deepEqual(
    digest.problem_list.map(({ title, status }) => [title, status]),
    ['a', 'b', 'c'].map((host) => [`Disk of ${host} is full`, 'firing']),
  )
  assert.deepEqual(
    (await ask<DigestPage>('digests')).digests.map(({ kind }) => kind),
    ['group'],
  )
  const number = String(via?.digest)
  // Number, kind, destination, state, opened, closed, incidents, notified, problems, updates.
  assert.match(await printedBy(t, url, '--open'), / *\d+ +group +chatws +open +\S+ +- +2 +2 +3 +1$/)
  const printed = await printedBy(t, url, number)
  assert.match(printed, /^digest \d+ for chatws: group, open, since .*, open\n2 incidents of 3 problems, 2 notified\n/)
  for (const host of ['a', 'b', 'c'])
    assert.match(printed, new RegExp(` warning +${host} +Disk of ${host} is full +x1 +firing`))

  await post(
    url,
    ['a', 'b', 'c'].map((host) => alertOf(host, { status: 'resolved' })),
  )
  await told(6)
  const last = chat.requests.at(-1)
  assert.match(JSON.stringify(last?.json), /👥 Group \d+ is over: 6 alerts of 3 problems in \d+ s/)
  assert.match(JSON.stringify(last?.json), /thread_ts/)
  assert.equal(chat.posts, 2)
  assert.equal((await ask<DigestDetail>(`digests/${via?.digest}`)).state, 'closed')
  assert.match(await printedBy(t, url), / *\d+ +group +chatws +closed +\S+Z +\S+Z +4 +4 +3 +\d+$/)
  assert.match(
    await printedBy(t, url, number),
    /: group, closed, since .*Z, until .*Z\n(.*\n)+( warning .* resolved .*\n?){3}$/,
  )
  assert.equal(await printedBy(t, url, '--open'), 'no digest')
  const triggers = pager.requests
    .map(({ json }) => json as { event: string; group?: object })
    .filter(({ event }) => event === 'trigger')
  assert.deepEqual(
    triggers.map(({ group }) => group),
    Array(3).fill({ 'labels.cluster': 'eu' }),
    'each problem pages',
  )
  const { values } = scrapeOf(await (await fetch(`${url}/metrics`)).text())
  assert.equal(values.get('tocsin_groups_folded_total{channel="chatws"}'), 4)
})
