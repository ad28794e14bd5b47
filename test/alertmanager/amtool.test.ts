import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { configFile, folder } from '../harness/config-file.ts'
import { SECRET } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'

const run = promisify(execFile)
/** The newest one is built from its sources where the test is to show both. */
const AMTOOL = process.env.AMTOOL ?? 'amtool'

const ROUTES = [
  { name: 'payments', match: { 'labels.team': 'pay' }, continue: true, to: ['console'] },
  { name: 'db rules', match: { service: ['db-*', 'storage'], min_severity: 'high' }, to: ['console'], group: 'none' },
]

async function start(t: TestContext, more: object = {}) {
  const dir = folder()
  const system = await startTestSystem(
    t,
    configFile(dir, { alert: { console: { enable: true } }, routes: ROUTES, ...more }),
  )
  const secretFile = join(dir, 'http.yml')
  writeFileSync(secretFile, `authorization: { type: Bearer, credentials: ${SECRET} }\n`)
  const amtool = async (...words: string[]) => {
    const { stdout } = await run(AMTOOL, [
      `--alertmanager.url=${system.url}`,
      `--http.config.file=${secretFile}`,
      ...words,
    ])
    return stdout
  }
  const json = async <T>(...words: string[]): Promise<T> => JSON.parse(await amtool('-o', 'json', ...words)) as T
  return { system, dir, amtool, json }
}

interface ShownAlert {
  readonly labels: { readonly [name: string]: string }
  readonly receivers: readonly { readonly name: string }[]
  readonly status: { readonly state: string; readonly silencedBy: readonly string[] }
}

interface ShownSilence {
  readonly id: string
  readonly comment: string
  readonly createdBy: string
  readonly endsAt: string
  readonly matchers: readonly object[]
  readonly status: { readonly state: string }
}

test('amtool adds alerts and finds them by their labels, with the receivers of the rules', async (t) => {
  const { amtool, json } = await start(t)
  await amtool('alert', 'add', 'DiskFull', 'team=pay', 'service=db-1', 'severity=critical')
  await amtool('alert', 'add', 'Slow', 'team=web')
  const all = await json<ShownAlert[]>('alert', 'query')
  assert.deepEqual(all.map(({ labels }) => labels.alertname).sort(), ['DiskFull', 'Slow'])
  const [disk, ...others] = await json<ShownAlert[]>('alert', 'query', 'alertname=~Disk.*', 'team!=web')
  assert.equal(others.length, 0)
  assert.deepEqual(disk?.receivers, [{ name: 'payments' }, { name: 'db rules' }])
  assert.equal(disk?.status.state, 'active')
})

test('a silence of amtool holds what it fits, shows as it was sent, and is changed, ended and imported', async (t) => {
  const { amtool, json, dir } = await start(t)
  await amtool('alert', 'add', 'DiskFull', 'team=pay', 'service=db-1')
  const id = (
    await amtool('silence', 'add', '-a', 'anna', '-c', 'disks', '-d', '2h', 'team=pay', 'service=~db-.*|x*')
  ).trim()
  const [silence] = await json<ShownSilence[]>('silence', 'query')
  assert.ok(silence)
  assert.equal(silence.id, id)
  assert.deepEqual([silence.createdBy, silence.comment, silence.status.state], ['anna', 'disks', 'active'])
  assert.deepEqual(silence.matchers, [
    { name: 'team', value: 'pay', isRegex: false, isEqual: true },
    { name: 'service', value: 'db-.*|x*', isRegex: true, isEqual: true },
  ])
  const [alert] = await json<ShownAlert[]>('alert', 'query', '--silenced')
  assert.deepEqual([alert?.status.state, alert?.status.silencedBy], ['suppressed', [id]])
  assert.equal((await json<unknown[]>('alert', 'query', '--active')).length, 0)

  assert.equal((await amtool('silence', 'update', '-d', '4h', '-c', 'longer', id)).includes(id), true)
  const [updated] = await json<ShownSilence[]>('silence', 'query')
  assert.equal(updated?.comment, 'longer')
  assert.ok(Date.parse(updated?.endsAt ?? '') > Date.parse(silence.endsAt) + 3_600_000)

  const exported = await amtool('-o', 'json', 'silence', 'query')
  await amtool('silence', 'expire', id)
  assert.deepEqual(await json('silence', 'query'), [])
  assert.equal((await json<ShownSilence[]>('silence', 'query', '--expired', '--within', '1h'))[0]?.id, id)
  assert.equal((await json<ShownAlert[]>('alert', 'query'))[0]?.status.state, 'active')

  const file = join(dir, 'silences.json')
  writeFileSync(file, exported)
  const imported = (await amtool('silence', 'import', file)).trim()
  assert.notEqual(imported, id)
  assert.equal((await json<ShownSilence[]>('silence', 'query'))[0]?.id, imported)
  const foreign = exported.replace(id, '7d4ddc15-3d8c-4b5f-8f0d-6d7c9d2f8a10')
  writeFileSync(file, foreign.replaceAll('pay', 'shop'))
  await amtool('silence', 'import', file)
  assert.equal((await json<unknown[]>('silence', 'query')).length, 2)
})

test('amtool reads the rules as a configuration and tests them', async (t) => {
  const { amtool } = await start(t)
  const tree = await amtool('config', 'routes', 'show')
  assert.match(tree, /default-route\s+receiver: default/)
  assert.match(tree, /\{team="pay"\}\s+continue: true\s+receiver: payments/)
  assert.match(tree, /receiver: db rules/)
  const receivers = async (...labels: string[]) => (await amtool('config', 'routes', 'test', ...labels)).trim()
  assert.equal(await receivers('team=pay'), 'payments')
  assert.equal(await receivers('team=web'), 'default')
  assert.equal(await receivers('tocsin_service=db-7', 'tocsin_min_severity=high', 'team=pay'), 'payments,db rules')
  assert.match(await amtool('cluster', 'show'), /ready/)
})

test('amtool is refused without the secret', async (t) => {
  const { system } = await start(t)
  await assert.rejects(run(AMTOOL, [`--alertmanager.url=${system.url}`, 'silence', 'query']), /401|unauthorized/i)
})
