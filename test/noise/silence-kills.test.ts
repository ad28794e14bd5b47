import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentPage } from '../../src/api/incident.ts'
import type { SilenceDetail } from '../../src/api/noise/silence.ts'
import type { Provider } from '../../src/simulator/index.ts'
import type { Received } from '../../src/simulator/provider.ts'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { end, startProcess } from '../harness/process.ts'
import { startStandIn } from '../harness/providers.ts'
import { randomFrom } from '../harness/random.ts'
import { admin, operate, post } from '../harness/requests.ts'
import { until } from '../harness/until.ts'

const PROBLEMS = 40
const RESOLVED = 10
const KILLS = 4
const STILL = PROBLEMS - RESOLVED
/** Attempts of a channel that are on the wire at one time, and so may come twice after a kill. */
const { concurrency: ON_THE_WIRE } = FAST

const marksIn = (requests: readonly Received[]) =>
  requests.flatMap(({ text }) => text.match(/mark-\d+-end/g)?.[0] ?? [])
const accountsIn = (requests: readonly Received[]) =>
  requests.filter(({ text }) => /over: \d+ alerts of/.test(text)).map(({ text }) => text)

/** A service with a chat and a pager, of which one process after another is killed. */
async function service(t: TestContext) {
  const [chat, pager] = [await startStandIn(t, 'chatws'), await startStandIn(t, 'webhook')]
  const file = configFile(folder(), {
    alert: { chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST } },
    oncall: { enable: true, wait_minutes: 0, provider: 'webhook', webhook: { url: pager.url } },
    log: { level: 'info' },
  })
  let life = await startProcess(t, file)
  async function change(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object): Promise<void> {
    const answer = await operate(`${life.url}/api/admin/${path}`, body, method)
    assert.ok(answer.ok, `${answer.status}`)
  }
  return {
    chat,
    pager,
    /** Makes a silence, and lets problems arrive that it holds; a part of them is resolved. */
    async hold(): Promise<void> {
      const match = { service: 'db-*' }
      await change('POST', 'silences', { match, for: '1h', owner: 'Anna', comment: 'disks', broad: true })
      const alert = (nth: number, status: string) => ({
        ...{ title: `mark-${nth}-end`, ServiceName: 'db-1', severity: 'critical', status },
      })
      const firing = Array.from({ length: PROBLEMS }, (_, nth) => alert(nth, 'firing'))
      assert.equal((await post(life.url, firing)).status, 201)
      assert.equal(
        (
          await post(
            life.url,
            firing.slice(STILL).map((_, nth) => alert(STILL + nth, 'resolved')),
          )
        ).status,
        201,
      )
      const silence = () => admin<SilenceDetail>(life.url, '/api/admin/silences/1')
      await until(silence, ({ held }) => held?.alerts === PROBLEMS + RESOLVED && held.resolved === RESOLVED)
    },
    endAt: (at: number) => change('PATCH', 'silences/1', { ends_at: new Date(at).toISOString() }),
    async kill(): Promise<void> {
      await end(life.child)
    },
    async start(): Promise<void> {
      life = await startProcess(t, file)
    },
    /** Waits until the silence holds nothing and every incident is told. */
    async settled(): Promise<void> {
      const waiting = () => admin<IncidentPage>(life.url, '/api/admin/incidents?told=waiting')
      await until(waiting, ({ incidents }) => incidents.length === 0)
      await until(
        () => new Set(pager.requests.map(({ body }) => /mark-\d+-end/.exec(body)?.[0])).size,
        (size) => size === STILL,
      )
    },
  }
}

test('a silence ends while the process is dead: at its start each problem that still fires is told once and pages once', async (t) => {
  const { chat, pager, hold, endAt, kill, start, settled } = await service(t)
  await hold()
  const end = Date.now() + 2_000
  await endAt(end)
  await kill()
  assert.deepEqual([chat.requests.length, pager.requests.length], [0, 0])
  await until(Date.now, (now) => now > end)
  await start()
  await settled()
  const told = marksIn(chat.requests)
  assert.deepEqual([told.length, new Set(told).size, pager.requests.length], [STILL, STILL, STILL])
  assert.deepEqual(
    accountsIn(chat.requests).map((text) => /over: .* told now/.exec(text)?.[0]),
    [`over: 50 alerts of 40 problems held, 10 resolved, 30 still firing, told now`],
  )
})

for (const [seed, at] of [
  [1, 'chat'],
  [2, 'chat'],
  [3, 'pager'],
] as const)
  test(`killed again and again while the end of a silence is told: every problem is told and pages under one name (${at}, ${seed})`, async (t) => {
    const { hold, endAt, kill, start, settled, ...providers } = await service(t)
    const { chat, pager } = providers
    const random = randomFrom(seed)
    await hold()
    for (let nth = 0; nth < KILLS; nth++) {
      const killed = killedAt(providers[at], 1 + Math.floor(random() * 6), kill)
      // The answer may be lost with the process.
      if (nth === 0) endAt(Date.now()).catch(() => {})
      await killed
      await start()
    }
    await settled()
    const told = marksIn(chat.requests)
    assert.equal(new Set(told).size, STILL)
    assert.ok(told.length <= STILL + KILLS * ON_THE_WIRE, `${told.length} messages`)
    assert.ok(accountsIn(chat.requests).length >= 1)
    assert.equal(new Set(pager.requests.map(({ json }) => (json as { dedup_key: string }).dedup_key)).size, STILL)
    t.diagnostic(`${told.length} messages, ${pager.requests.length} pages`)
  })

/** Resolves when the process was killed at its nth request from now; that one and later ones get no answer. */
function killedAt(provider: Provider, nth: number, kill: () => Promise<void>): Promise<void> {
  const before = provider.requests.length
  return new Promise((resolve, reject) => {
    provider.script = () => {
      const seen = provider.requests.length - before
      if (seen < nth) return undefined
      if (seen === nth) kill().then(resolve, reject)
      return { hang: true }
    }
  }).then(() => {
    provider.script = undefined
  })
}
