import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Provider } from '../../../src/simulator/index.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { type AlertStream, alertAt } from '../../harness/noise/alerts.ts'
import { DigestAccount } from '../../harness/noise/digest-account.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const STREAM: AlertStream = { count: 500, problems: 20, criticals: 2 }

/** A chat that people read at one message a second, at a provider that takes any rate. */
const alertFor = ({ url }: Provider, storm: object = {}) => ({
  chatws: {
    enable: true,
    token: 'xoxb-test',
    channel_id: 'C1',
    api_url: url,
    rate: { per_second: 20, burst: 20 },
    storm: { rate: { per_second: 1, burst: 4 }, ...storm },
  },
})

function accountOf({ taken }: Provider): DigestAccount {
  const account = new DigestAccount()
  for (const { text } of taken) account.add(text)
  return account
}

async function postAlerts(url: string, from: number, to: number): Promise<void> {
  const alerts = Array.from({ length: to - from }, (_, at) => alertAt(from + at, STREAM))
  assert.equal((await post(url, alerts)).status, 201)
}

const untilTold = (chat: Provider, alerts: number) =>
  until(
    () => accountOf(chat).told,
    (told) => told === alerts,
  )

test('a storm is told by one digest, which is edited, and posted anew when its message was deleted', async (t) => {
  const chat = await startStandIn(t, 'chatws')
  const { url } = await startTestSystem(t, configFile(folder(), { alert: alertFor(chat) }))

  await postAlerts(url, 0, 300)
  await untilTold(chat, 300)
  const singles = accountOf(chat).singles.size
  assert.ok(singles < 60, `${singles} messages`)
  assert.deepEqual([chat.posts - singles, chat.edits], [1, 0])

  await postAlerts(url, 300, 400)
  await untilTold(chat, 400)
  assert.equal(chat.edits, 1)

  chat.script = ({ path }) =>
    path.endsWith('/chat.update') ? { body: { ok: false, error: 'message_not_found' } } : undefined
  await postAlerts(url, 400, 500)
  await untilTold(chat, 500)
  const account = accountOf(chat)
  assert.deepEqual([account.digests.size, account.faults, chat.edits], [1, [], 1])
  await until(
    async () => (await admin<{ total: number }>(url, '/api/admin/incidents?limit=1&notified=waiting')).total === 0,
  )
})
