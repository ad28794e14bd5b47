import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { Received } from '../../../src/simulator/index.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { end, type Started, startProcess } from '../../harness/process.ts'
import { twoChannels } from '../../harness/providers.ts'
import { until } from '../../harness/until.ts'

const HOUR_MS = 3_600_000
const isNotice = ({ text }: Received) => text.includes('The objective is 99.9 % within 1 s')

interface NoticeRow {
  readonly state: string
  readonly due_at: number | null
  readonly first_at: number | null
}

/** Reads the database of a process that was killed. */
function readNotices(dir: string) {
  const db = new DatabaseSync(join(dir, 'data', 'tocsin.db'), { readOnly: true })
  const notices = db
    .prepare(
      `SELECT iif(d.state = 0, 'pending', iif(d.state = 1, 'sending', iif(d.state = 2, 'sent', d.state))) AS state, d.due_at,
         n.first_at FROM dispatches d JOIN notices n ON n.number = d.number WHERE d.incident = 0 ORDER BY d.number`,
    )
    .all() as unknown as NoticeRow[]
  const attempts = db.prepare('SELECT outcome, may_duplicate FROM attempts WHERE incident = -1').all()
  db.close()
  return { notices, attempts: attempts.map((row) => ({ ...row })) }
}

/** Commits an incident, and returns when the settlement of its message through the channel that works is on disk. */
async function tell({ url }: Started, ServiceName: string): Promise<void> {
  await post(url, { ServiceName })
  const detail = async () => {
    const { incidents } = await admin<IncidentPage>(url, '/api/admin/incidents')
    const { id } = incidents.find(({ service }) => service === ServiceName) ?? {}
    return id === undefined ? undefined : await admin<IncidentDetail>(url, `/api/admin/incidents/${id}`)
  }
  await until(detail, (found) =>
    Boolean(found?.deliveries.some(({ channel, state }) => channel === 'officechat' && state === 'sent')),
  )
}

test('a provider that fails burns the objective: one notice through the other, also over kills', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  chat.script = () => ({ status: 500 })
  let answers = false
  flow.script = (request) => (isNotice(request) && !answers ? { hang: true } : undefined)
  const heard = () => flow.requests.filter(isNotice)
  const dir = folder()
  const file = configFile(dir, { alert, slo: { notified_within: '1s', objective: 99.9 }, log: { level: 'info' } })

  // The service looks at the objective when it starts and with each minute: mostly nothing is overdue yet.
  const first = await startProcess(t, file)
  for (const name of ['first', 'second', 'third']) await tell(first, name)
  const committed = Date.now()
  await until(Date.now, (now) => now > committed + 1_000)
  await end(first.child)

  const before = heard().length
  const second = await startProcess(t, file)
  await until(heard, ({ length }) => length > before)
  // The minute may have begun while the first process ran, before all were overdue.
  assert.match(heard()[0]?.text ?? '', /[1-6] of [2-6], [1-3] of them not notified yet/)
  await end(second.child)
  assert.deepEqual(
    readNotices(dir).notices.map(({ state }) => state),
    ['sending'],
  )

  // Whether the notice arrived is unknown: it is sent again, and its attempt says so.
  answers = true
  const unanswered = heard().length
  const third = await startProcess(t, file)
  await until(heard, ({ length }) => length > unanswered)
  await tell(third, 'fourth')
  await end(third.child)
  const { notices, attempts } = readNotices(dir)
  assert.deepEqual([notices[0]?.state, attempts.at(-1)], ['sent', { outcome: 'sent', may_duplicate: 1 }])

  const told = heard().length
  const fourth = await startProcess(t, file)
  await tell(fourth, 'fifth')
  await end(fourth.child)
  const [sent, next] = readNotices(dir).notices
  assert.equal(next?.state, 'pending', 'it burns on')
  assert.ok((next?.due_at ?? 0) >= (sent?.first_at ?? Number.NaN) + HOUR_MS)
  assert.equal(heard().length, told)
  assert.equal(
    chat.requests.some(({ text }) => text.includes('The objective is')),
    false,
  )
})
