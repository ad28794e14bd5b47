import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { stringify } from 'yaml'
import type { Rehearsal, RehearsalResult } from '../../../src/api/noise/rehearsal.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, operate, post, SECRET } from '../../harness/net/requests.ts'
import { startProcess } from '../../harness/process.ts'
import { twoChannels } from '../../harness/providers.ts'
import { spawnNode } from '../../harness/spawn.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'
import { writeHistory } from './history.ts'

const CLI = join(import.meta.dirname, '../../../src/tocsin.js')
const PAYMENTS = { name: 'payments', match: { service: 'pay*', min_severity: 'critical' }, to: ['chatws'] }
const CHATTER = { name: 'chatter', match: { service: 'pay*' }, to: 'none' }
const MINUTE_MS = 60_000

/** A day of incidents, every seventh of which is critical and of payments, and a configuration with a route for these. */
async function dayOfHistory(t: TestContext) {
  const { alert } = await twoChannels(t)
  const dir = folder()
  const past = Array.from({ length: 98 }, (_, nth) => ({
    agoMs: (98 - nth) * 14 * MINUTE_MS,
    ...(nth % 7 === 0 ? { service: 'payments', severity: 'critical' } : { service: 'web', severity: 'warning' }),
  }))
  const ids = writeHistory(join(dir, 'data'), past)
  const criticals = ids.filter((_, nth) => past[nth]?.severity === 'critical')
  const routes = [PAYMENTS, CHATTER]
  const inForce = configFile(dir, { alert, routes, log: { level: 'info' } })
  const changed = configFile(folder(), { alert, routes: [CHATTER] })
  return { dataDir: join(dir, 'data'), criticals, inForce, changed, alert }
}

async function tocsin(args: readonly string[]) {
  const child = spawnNode([CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { GATEWAY_SECRET: SECRET } })
  const [out, err] = await Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : '')))
  const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)))
  return { code, out: out ?? '', err: err ?? '' }
}

const untoldIds = ({ changes }: RehearsalResult) =>
  changes.filter(({ kind }) => kind === 'lost').flatMap(({ incidents }) => incidents.map(({ id }) => id))

test('the command names the critical incidents that a new configuration loses: of a directory, and of its service', async (t) => {
  const { dataDir, criticals, inForce, changed } = await dayOfHistory(t)
  const ofDirectory = ['rehearse', '--in-force', inForce, '--data', dataDir]
  const lost = await tocsin([...ofDirectory, '--config', changed, '--json'])
  assert.equal(lost.code, 1, lost.err)
  const result = JSON.parse(lost.out) as RehearsalResult
  assert.deepEqual(untoldIds(result), criticals)
  assert.equal(result.lost_criticals, 14)
  assert.equal(result.history.complete, true)

  const { url } = await startProcess(t, inForce)
  const ofService = ['rehearse', '--in-force', inForce, '--url', url]
  for (const source of [ofDirectory, ofService]) {
    const printed = await tocsin([...source, '--config', changed])
    assert.equal(printed.code, 1, printed.err)
    assert.match(printed.out, /^98 incidents from .*\n\nnobody would be notified of 14 critical:\n/)
    assert.deepEqual(
      printed.out.match(/^ [0-9a-f]{8}-[0-9a-f-]+/gm)?.map((id) => id.trim()),
      criticals,
    )
    assert.equal((await tocsin([...source, '--config', changed, '--allow'])).code, 0)
    const same = await tocsin([...source, '--config', inForce, '--only-changes'])
    assert.deepEqual(
      [same.code, same.out.split('\n').slice(1)],
      [0, ['', 'nothing differs: every incident reaches the same destinations', '']],
    )
  }
  const hour = JSON.parse((await tocsin([...ofService, '--config', changed, '--since', '1h', '--allow', '--json'])).out)
  assert.equal(hour.history.incidents, 4)
})

test('the command says what is wrong with its line, its files and its directory', async (t) => {
  const { dataDir, inForce, changed } = await dayOfHistory(t)
  const broken = join(folder(), 'broken.yaml')
  writeFileSync(broken, `port: 0\n\n${stringify({ routes: [{ name: 'x', to: ['chat'] }] })}`)
  const cases: readonly [args: readonly string[], code: number, error: RegExp][] = [
    [[], 2, /rehearse needs --config FILE/],
    [['--config', changed, '--since', 'today'], 2, /--since today must be a time with a unit/],
    [['--config', changed, '--data', dataDir, '--url', 'http://127.0.0.1:9'], 2, /--data and --url exclude each other/],
    [['--config', 'nowhere.yaml', '--in-force', inForce], 2, /nowhere\.yaml cannot be read/],
    [
      ['--config', broken, '--in-force', inForce, '--data', dataDir],
      1,
      /broken\.yaml:6: routes\.0\.to\.0: is no channel/,
    ],
    [['--config', changed, '--in-force', inForce, '--data', folder()], 1, /holds no tocsin\.db: give the directory of/],
  ]
  for (const [args, code, error] of cases) {
    const { code: found, err } = await tocsin(['rehearse', ...args])
    assert.equal(found, code, err)
    assert.match(err, error)
  }
  const { url } = await startProcess(t, inForce)
  const refused = await tocsin(['rehearse', '--config', broken, '--in-force', inForce, '--url', url])
  assert.equal(refused.code, 1)
  assert.match(refused.err, /broken\.yaml:6: routes\.0\.to\.0: is no channel/)
})

const begin = (url: string, body: unknown) => operate(`${url}/api/admin/rehearsals`, body)

const ended = (url: string, id: string) =>
  until(
    () => admin<Rehearsal>(url, `/api/admin/rehearsals/${id}`),
    ({ state }) => state !== 'running',
  )

test('the route takes four sections without references, one rehearsal at a time', async (t) => {
  const { inForce } = await dayOfHistory(t)
  const { url } = await startTestSystem(t, inForce)
  const refused: readonly [body: unknown, error: RegExp][] = [
    [{}, /config must be YAML text, or an object/],
    [{ config: 'routes: [' }, /proposed:1:\d+: is not valid YAML/],
    [{ config: 'gateway_secret: x' }, /proposed:1: gateway_secret: cannot be tried here: only routes, schedules/],
    [{ config: `routes:\n  - name: "$${'{HOME}'}"` }, /proposed:2: has a reference that begins with/],
    [
      { config: 'routes: [{ name: a, to: [nowhere] }]', file: 'new.yaml' },
      /new\.yaml:1: routes\.0\.to\.0: is no channel/,
    ],
    [{ config: {}, hours: 0 }, /hours must be a number above 0/],
    [{ config: {}, since: '1h' }, /"since" is not known/],
  ]
  for (const [body, error] of refused) {
    const answer = await begin(url, body)
    assert.equal(answer.status, 400)
    assert.match(((await answer.json()) as { error: string }).error, error)
  }
  const first = await begin(url, { config: { routes: [CHATTER] } })
  const second = await begin(url, { config: {} })
  assert.deepEqual([first.status, second.status], [202, 503])
  const { id, state } = (await first.json()) as Rehearsal
  assert.equal(state, 'running')
  const { result } = await ended(url, id)
  assert.equal(result?.lost_criticals, 14)
  // A section that is absent is as in force.
  const again = (await (await begin(url, { config: '' })).json()) as Rehearsal
  assert.deepEqual((await ended(url, again.id)).result?.changes, [])
  await assert.rejects(admin(url, '/api/admin/rehearsals/none'), /404.*no rehearsal has this id/)
})

test('the service goes on in a flood while it rehearses, and a shutdown ends the rehearsal', async (t) => {
  const { inForce } = await dayOfHistory(t)
  const system = await startTestSystem(t, inForce)
  const { id } = (await (await begin(system.url, { config: { routes: [CHATTER] } })).json()) as Rehearsal
  let accepted = 0
  const flood = async () => {
    for (let nth = 0; nth < 200; nth++) {
      const { status } = await post(system.url, [{ title: `a ${nth % 5}` }, { title: `b ${nth % 3}` }])
      if (status === 201) accepted += 2
    }
  }
  await Promise.all([flood(), flood(), flood()])
  assert.equal(accepted, 1_200)
  const { result } = await ended(system.url, id)
  assert.ok((result?.history.incidents ?? 0) >= 98)
  await begin(system.url, { config: {} })
  await system.stop()
})
