import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail } from '../../src/api/incident.ts'
import type { SilenceDetail } from '../../src/api/noise/silence.ts'
import type { SilenceCreated } from '../../src/api/noise/silence-requests.ts'
import type { ReplicaList } from '../../src/api/replica.ts'
import type { Provider } from '../../src/simulator/index.ts'
import { folder } from '../harness/config-file.ts'
import { admin, operate, post } from '../harness/net/requests.ts'
import { startStandIn, twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { skip as noServer, startCluster, type TestReplica } from './cluster.ts'
import { type FakeClock, fakeClock, skipFaketime } from './faketime.ts'

const skip = noServer || skipFaketime
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** Less than the clocks are wrong, more than the tests take. */
const WAIT_MINUTES = 30

interface Posted {
  readonly replica: TestReplica
  readonly title: string
  readonly query?: string
  readonly key?: string
}

/** Two replicas whose clocks are wrong; the first leads. Its messages show the time at which they were printed. */
async function given(t: TestContext, clocks: readonly FakeClock[]) {
  const { chat, alert } = await twoChannels(t)
  const pager = await startStandIn(t, 'webhook')
  const template = join(folder(), 'time.tmpl')
  writeFileSync(template, '{{ .title }} at {{ now.UTC.Format "2006-01-02T15:04:05Z07:00" }}')
  const cluster = await startCluster(t, {
    config: {
      alert: { chatws: { ...alert.chatws, template_path: template } },
      oncall: {
        enable: true,
        wait_minutes: WAIT_MINUTES,
        provider: 'webhook',
        webhook: { url: `${pager.url}/page` },
      },
    },
    envOf: (nth) => clocks[nth]?.env ?? {},
  })
  const [first, second] = cluster.replicas
  assert.ok(first && second)
  return { cluster, first, second, chat, pager }
}

/** Resolves with the id of a critical incident, once it is accepted. */
async function accepted({ replica, title, query = '', key }: Posted): Promise<string> {
  const headers: { [name: string]: string } = key === undefined ? {} : { 'Idempotency-Key': key }
  const answer = await until(
    () => post(replica.url, { title, ServiceName: title, severity: 'critical' }, headers, query),
    ({ status }) => status < 500,
  )
  await answer.arrayBuffer()
  assert.ok(answer.ok, String(answer.status))
  return answer.headers.get('x-incident-id') ?? assert.fail()
}

const detailOf = async ({ url }: TestReplica, id: string) =>
  await admin<IncidentDetail>(url, `/api/admin/incidents/${id}`)

const isHoursOff = (ms: number) => Math.abs(ms) > HOUR_MS / 4

/** Resolves when the database has measured by how many hours the clocks of the replicas are wrong, by name. */
const measured = ({ url }: TestReplica, hours: readonly number[]) =>
  until(
    async () => {
      const { replicas } = await admin<ReplicaList>(url, '/api/admin/replicas')
      const byName = replicas.toSorted((a, b) => a.name.localeCompare(b.name))
      return byName.map(({ clock_offset_ms }) => Math.round((clock_offset_ms ?? 0) / HOUR_MS) + 0)
    },
    (found) => String(found) === String(hours),
  )

test('replicas three hours ahead and behind: all happens by the clock of the database', { skip }, async (t) => {
  const { cluster, first, second, chat, pager } = await given(t, [fakeClock('+3h'), fakeClock('-3h')])
  chat.script = ({ body }) => (body.includes('refused') ? { status: 500, body: 'oops' } : undefined)
  const pages = (title: string) => pager.requests.filter(({ body }) => body.includes(title)).length
  await measured(second, [3, -3])

  const [byFirst, bySecond] = [
    await accepted({ replica: first, title: 'patient one', key: 'one' }),
    await accepted({ replica: second, title: 'patient two' }),
  ]
  assert.equal(await accepted({ replica: second, title: 'patient one', key: 'one' }), byFirst)
  for (const id of [byFirst, bySecond]) {
    const { created_at, oncall } = await until(
      () => detailOf(first, id),
      (detail) => detail.oncall !== null,
    )
    assert.ok(!isHoursOff(Date.parse(created_at) - Date.now()), created_at)
    assert.ok(!isHoursOff(Date.parse(oncall?.due_at ?? '') - Date.now() - WAIT_MINUTES * MINUTE_MS), oncall?.due_at)
  }
  await printedNow(chat, 'patient two')

  await silencedFor(second, chat)

  // Sent again, and paged, by a replica whose clock is six hours behind that of the one that planned it.
  await accepted({ replica: first, title: 'refused', query: '?oncall_wait_minutes=0.05' })
  await chat.waitFor((message) => message.body.includes('refused'))
  await first.end('SIGKILL')
  await cluster.nextLeader(first)
  await until(() => pages('refused') > 0)
  const late = await accepted({ replica: second, title: 'patient three' })
  await first.start()
  await measured(second, [3, -3])
  await second.end('SIGKILL')
  await cluster.nextLeader(second)
  chat.script = undefined
  const { requests } = chat
  const before = requests.length
  await until(() => requests.slice(before).filter(({ body: text }) => text.includes('refused')).length > 0)
  await accepted({ replica: first, title: 'soon', query: '?oncall_wait_minutes=0.02' })
  await until(() => pages('soon') > 0)
  for (const id of [byFirst, bySecond, late]) assert.equal((await detailOf(first, id)).oncall?.state, 'armed')
  assert.equal(pages('patient'), 0)
  assert.equal(await accepted({ replica: first, title: 'patient one', key: 'one' }), byFirst)
})

/** Resolves when the message with a title has arrived. It shows the time of its printing. */
async function printedNow(chat: Provider, title: string): Promise<void> {
  const { body } = await chat.waitFor((message) => message.body.includes(`${title} at `))
  const [, at] = / at ([\dTZ:-]+)/.exec(body) ?? []
  assert.ok(!isHoursOff(Date.parse(at ?? '') - Date.now()), body)
}

/** A silence that begins and ends within seconds, as it says. */
async function silencedFor(replica: TestReplica, chat: Provider): Promise<void> {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const asked = {
    match: { service: 'quiet*' },
    owner: 'ops',
    comment: 'move',
    starts_at: at(1_000),
    ends_at: at(4_000),
  }
  const answer = await operate(`${replica.url}/api/admin/silences`, asked)
  assert.equal(answer.status, 201)
  const { silence } = (await answer.json()) as SilenceCreated
  assert.equal(silence.state, 'scheduled')
  const reached = (state: string) =>
    until(
      async () => (await admin<SilenceDetail>(replica.url, `/api/admin/silences/${silence.id}`)).state,
      (found) => found === state,
    )
  await reached('active')
  const held = await accepted({ replica, title: 'quiet one' })
  const { silence: holder } = await until(
    () => detailOf(replica, held),
    ({ applied }) => applied,
  )
  assert.equal(holder, silence.id)
  await reached('ended')
  await accepted({ replica, title: 'quiet two' })
  await chat.waitFor(({ body }) => body.includes('quiet two at'))
}

test('the clock of the leader is set while it runs: nobody is paged early, and it goes on to lead', {
  skip,
}, async (t) => {
  const clock = fakeClock('+0')
  const { cluster, first, second, chat, pager } = await given(t, [clock])
  const patient = await accepted({ replica: second, title: 'patient' })
  clock.set('+3h')
  await measured(first, [3, 0])
  const id = await accepted({ replica: first, title: 'soon', query: '?oncall_wait_minutes=0.02' })
  await printedNow(chat, 'soon')
  await pager.waitFor(({ body }) => body.includes('soon'))
  assert.ok(!isHoursOff(Date.parse((await detailOf(second, id)).created_at) - Date.now()))
  assert.equal((await detailOf(second, patient)).oncall?.state, 'armed')
  assert.equal(await cluster.leader(), first)
  assert.equal(first.output().match(/this replica leads/g)?.length, 1)
})
