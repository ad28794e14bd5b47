import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunList } from '../../../src/api/oncall/run.ts'
import { field } from '../../../src/simulator/exchange.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, operate, post } from '../../harness/net/requests.ts'
import { end, type Started, startProcess } from '../../harness/process.ts'
import { startStandIn } from '../../harness/providers.ts'
import { randomFrom } from '../../harness/random.ts'
import { until } from '../../harness/until.ts'
import { numberFrom, SEED } from '../campaign.ts'

const PROBLEMS = 50
const KILLS = numberFrom('FAULTS_KILLS', 5)
const ADA = ['U0ADA00001', 'U0ADA00002'] as const
const BEN = ['U0BEN00001', 'U0BEN00002'] as const
const waysOf = ([first, second]: readonly [string, string]) => [{ chatws: first }, { chatws: second, after: '2s' }]

test('kill -9 while 50 problems escalate: each page arrives, a second copy is marked, and each problem has one run', async (t) => {
  const random = randomFrom(SEED)
  const chat = await startStandIn(t, 'chatws')
  const file = configFile(folder(), {
    public_host: 'http://127.0.0.1',
    noise: { storm: { enable: false } },
    alert: { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C0ALERTS', api_url: chat.url, ...FAST } },
    people: { ada: { name: 'Ada', ways: waysOf(ADA) }, ben: { name: 'Ben', ways: waysOf(BEN) } },
    oncall: {
      ...{ enable: true, escalation: 'office' },
      escalations: { office: { steps: [{ notify: ['person:ada'] }, { after: '1h', notify: ['person:ben'] }] } },
    },
    log: { level: 'info' },
  })
  let service: Started = await startProcess(t, file)
  const runs = () => admin<RunList>(service.url, '/api/admin/oncall/runs').then((list) => list.runs)

  /** Done again until its answer came: the process may die before, or after, the commit. */
  const certain = (act: () => Promise<Response>) =>
    until(
      () =>
        act().then(
          ({ status }) => status < 300,
          () => false,
        ),
      Boolean,
      { everyMs: 50 },
    )
  let done = 0
  async function people(): Promise<void> {
    for (let nth = 0; nth < PROBLEMS; nth++, done++) {
      const payload = { title: `disk ${nth} is full`, severity: 'critical', fingerprint: `disk ${nth}` }
      await certain(() => post(service.url, payload, { 'Idempotency-Key': `disk-${nth}` }))
    }
    const asked = await until(
      () => runs().catch(() => []),
      (all) => all.length === PROBLEMS && all.every(({ pages }) => pages.length > 0),
    )
    for (const { problem } of asked) {
      await certain(() => operate(`${service.url}/api/admin/problems/${problem}/escalate`, { by: 'Cleo' }))
      done++
    }
  }
  const working = people()
  for (let kill = 1; kill <= KILLS; kill++) {
    const from = done
    const more = 1 + Math.floor((random() * 2 * PROBLEMS) / KILLS)
    await until(() => done >= Math.min(2 * PROBLEMS, from + more))
    await end(service.child)
    service = await startProcess(t, file)
  }
  await working

  // The ways of chats rest for 30 seconds after each message.
  const all = await until(
    () => runs().catch(() => []),
    (each) =>
      each.length === PROBLEMS &&
      each.every(({ pages }) => pages.every(({ state }) => state !== 'pending' && state !== 'sending')),
    { deadlineMs: 180_000 },
  )
  assert.equal(new Set(all.map(({ problem }) => problem)).size, PROBLEMS)
  const pages = all.flatMap((run) => run.pages)
  for (const { pages: own, title } of all)
    for (const person of ['ada', 'ben'])
      assert.ok(
        own.some((page) => page.person === person && page.state === 'sent'),
        `${person}: ${title}`,
      )
  assert.deepEqual(
    pages.filter(({ state }) => state === 'dead'),
    [],
  )
  for (const [person, addresses] of [
    ['ada', ADA],
    ['ben', BEN],
  ] as const) {
    const arrived = chat.requests.filter(({ json }) => addresses.some((address) => field(json, 'channel') === address))
    const unmarked = arrived.filter(({ body }) => !body.includes('repeated'))
    const told = pages.filter((page) => page.person === person && page.told_at !== null)
    const messages = new Set(told.map(({ told_at }) => told_at)).size
    assert.ok(
      unmarked.length <= told.length && arrived.length >= messages,
      `${person}: ${arrived.length} of ${messages}`,
    )
    assert.ok(new Set(unmarked.map(({ json }) => linkIn(json))).size === unmarked.length, 'an unmarked second copy')
  }
})

/** Each message has a link of its own. */
const linkIn = (json: unknown) => /\/api\/ack\/page\/\d+/.exec(JSON.stringify(json))?.[0]
