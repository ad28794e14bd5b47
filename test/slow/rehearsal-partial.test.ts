import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Rehearsals } from '../../actors/main/rehearsals.ts'
import type { StorageQuery } from '../../actors/messages/storage-queries.ts'
import { rehearse } from '../../actors/rehearsal/rehearse.ts'
import { REHEARSAL_SCRIPT } from '../../actors/scripts.ts'
import type { Rehearsal, RehearsalResult } from '../../src/api/noise/rehearsal.ts'
import { rehearse as command } from '../../src/commands/noise/rehearse.ts'
import { loadConfig } from '../../src/config/load.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import { bootFor, DAY_MS, incident, rehearsed, START, sourceOf } from '../actors/rehearsal/setup.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { SECRET } from '../harness/net/requests.ts'
import { until } from '../harness/until.ts'

const DAY = Array.from({ length: 98 }, (_, nth) => incident(nth + 1, START + (nth * DAY_MS) / 98))
const NONE = [{ name: 'web', match: { service: 'web' }, to: 'none' }]

const withoutHistory = ({ history: _, ...others }: RehearsalResult) => others

test('a history that takes too much processor time is rehearsed up to there, as if nothing had come later', async () => {
  const [inForce, proposed] = [bootFor({}), bootFor({ routes: NONE })]
  const plan = { inForce, proposed, from: START, to: START + DAY_MS }
  const bounded = (cpuMs: () => number, incidents = DAY) =>
    rehearse(plan, sourceOf(incidents), { progress() {}, maxCpuMs: 1_000, cpuMs })
  let pages = 0
  const result = await bounded(() => 600 * ++pages)
  const { incidents, partial } = result.history
  const because = 'the history is too long for 1 s of processor time'
  assert.deepEqual([incidents, partial], [14, { until: isoTime(DAY[13]?.committedAt ?? 0), left_out: 84, because }])
  assert.deepEqual(withoutHistory(result), withoutHistory(await rehearsed(inForce, proposed, DAY.slice(0, 14))))
  assert.equal(result.changes[0]?.count, 14)

  const whole = await bounded(() => 2_000, DAY.slice(0, 7))
  assert.equal(whole.history.partial, null, 'nothing is left')
})

/** Rehearsals of the service, with processor time for the first page of the history only, behind their routes. */
async function boundedService(t: TestContext) {
  const source = sourceOf(DAY)
  const askStorage = async (query: StorageQuery) => {
    if (query.kind === 'historyRange') return source.range(query.asked)
    if (query.kind === 'historyPage') return source.page(query.numbers)
    return []
  }
  const rehearsals = new Rehearsals({
    askStorage: askStorage as ConstructorParameters<typeof Rehearsals>[0]['askStorage'],
    script: REHEARSAL_SCRIPT,
    now: () => START + DAY_MS,
    maxCpuMs: 0,
  })
  t.after(() => rehearsals.close())
  const alert = { chatws: { enable: true, token: 'xoxb-1', channel_id: 'C1' } }
  const { config } = loadConfig({ file: configFile(folder(), { alert }), env: {} })
  const plan = { inForce: config, proposed: config, hours: 24, warnings: [] }
  const server = createServer(({ method, url }, res) => {
    const found = method === 'POST' ? rehearsals.begin(plan) : rehearsals.find(url?.split('/').at(-1) ?? '')
    res.end(JSON.stringify(found))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, begin: () => rehearsals.begin(plan), find: (id: string) => rehearsals.find(id) }
}

test('a partial rehearsal is said to be one by its state, and by the command, which fails even when it loses nothing', async (t) => {
  const { url, begin, find } = await boundedService(t)
  const { id } = begin()
  const { state, error, progress, result } = await until(
    () => find(id) as Rehearsal,
    (rehearsal) => rehearsal.state !== 'running',
  )
  assert.deepEqual([state, result?.history.incidents, result?.lost_criticals], ['partial', 7, 0])
  assert.match(error ?? '', /too long for 0 s of processor time; rehearse a shorter time/)
  assert.ok(progress < 1)

  const printed: string[] = []
  t.mock.method(console, 'log', (text: string) => printed.push(text))
  const complained = t.mock.method(console, 'error', () => undefined)
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  const config = configFile(folder())
  for (const options of [[], ['--only-changes'], ['--allow']])
    assert.equal(await command.run(['--config', config, '--url', url, ...options]), 1)
  for (const text of printed.splice(0))
    assert.match(
      text,
      /^PARTIAL: .*Of the oldest 7 incidents only; up to 91 later ones[\s\S]*nothing differs in this part/,
    )
  assert.match(String(complained.mock.calls.at(-1)?.arguments[0]), /the rehearsal is partial: the history is too long/)
  assert.equal(await command.run(['--config', config, '--url', url, '--json']), 1)
  assert.equal((JSON.parse(printed[0] ?? '') as RehearsalResult).history.partial?.left_out, 91)
})
