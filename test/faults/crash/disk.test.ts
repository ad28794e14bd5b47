import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { auditedProvider } from '../../harness/audit/audited-provider.ts'
import { Ledger } from '../../harness/audit/ledger.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { end, spawnService, startProcess } from '../../harness/process.ts'
import { twoChannels } from '../../harness/providers.ts'
import { until } from '../../harness/until.ts'
import { fill, holdsOpenFiles, onSmallVolume, whileReadOnly } from '../../harness/volume.ts'
import { assertSound } from '../victim.ts'

const ready = (url: string) => async () => (await fetch(`${url}/readyz`)).status

async function setup(t: TestContext, dir = folder(), limits = { max_incidents: 100_000 }) {
  const { chat, flow, alert } = await twoChannels(t)
  const providers = [chat, flow].map((provider) => auditedProvider(provider))
  const agent = { enable: true, mode: 'training', sources: [{ name: 'push', type: 'http', enable: true }] }
  const file = configFile(dir, {
    alert,
    agent,
    log: { level: 'info' },
    storage: { file: { data_dir: join(dir, 'data'), ...limits } },
  })
  return { dir, data: join(dir, 'data'), file, providers, ledger: new Ledger() }
}

test('on a disk that other files have filled, the service goes on with the free space inside the database', async (t) => {
  const dir = onSmallVolume(t)
  if (dir === undefined) return
  const { data, file } = await setup(t, dir, { max_incidents: 400 })
  const first = await startProcess(t, file)
  await postMany(first.url, 400)
  await end(first.child, 'SIGTERM')
  writeFileSync(file, readFileSync(file, 'utf8').replace('max_incidents: 400', 'max_incidents: 10'))
  const second = await startProcess(t, file)
  await until(async () => (await incidentsOf(second.url)) === 10)
  await end(second.child, 'SIGTERM')
  const third = await startProcess(t, file)
  await postMany(third.url, 30)
  fill(join(data, 'ballast'))
  await postMany(third.url, 400)
  assert.match(third.output(), /the (disk|database) refuses/)
  await until(async () => (await incidentsOf(third.url)) === 10)
  await assertSound(third)
})

/** In good order; what it had in its log is in its database. */
async function incidentsOf(url: string): Promise<number> {
  return (await admin<{ total: number }>(url, '/api/admin/incidents?limit=1')).total
}

/** Text that hardly packs and holds no word for the index. */
const noise = (length: number) => String.fromCharCode(...randomBytes(length).map((byte) => 35 + (byte % 13)))

/** Incidents of 20 kB one after another; each that is refused comes again. */
async function postMany(url: string, count: number): Promise<void> {
  const accepted = async () => (await post(url, { title: 'one of many', pad: noise(20_000) })).status
  for (let left = count; left > 0; left--) await until(accepted, (status) => status === 201)
}

test('a read-only volume is refused with a message, and nothing on it changes', async (t) => {
  const dir = onSmallVolume(t)
  if (dir === undefined) return
  const { data, file, providers, ledger } = await setup(t, dir)
  const first = await startProcess(t, file)
  await ledger.load(first.url, AbortSignal.timeout(30_000), 50)
  await end(first.child)
  execFileSync('mount', ['-o', 'remount,ro', data])
  const second = spawnService(t, file)
  await assert.rejects(second.url, /storage_down|cannot be written/)
  assert.doesNotMatch(second.output(), /^ {4}at /m)
  execFileSync('mount', ['-o', 'remount,rw', data])
  const third = await startProcess(t, file)
  await ledger.audit(third.url, providers)
})

test('while the open database is read-only, incidents are accepted into the journal; afterwards they are delivered', async (t) => {
  const { data, file, providers, ledger } = await setup(t)
  const service = await startProcess(t, file)
  await ledger.load(service.url, AbortSignal.timeout(30_000), 50)
  if (!holdsOpenFiles(t, data)) return
  const files = ['tocsin.db', 'tocsin.db-wal'].map((name) => join(data, name))
  await whileReadOnly(files, async () => {
    await ledger.load(service.url, AbortSignal.timeout(30_000), 20)
    assert.equal(await ready(service.url)(), 503)
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  })
  await until(ready(service.url), (status) => status === 200)
  await ledger.audit(service.url, providers)
  await assertSound(service)
})

test('while database and journal are read-only, incidents are answered 503; afterwards they are accepted', async (t) => {
  const { data, file, providers, ledger } = await setup(t)
  const service = await startProcess(t, file)
  await ledger.load(service.url, AbortSignal.timeout(30_000), 50)
  if (!holdsOpenFiles(t, data)) return
  const segments = readdirSync(join(data, 'journal')).map((name) => join('journal', name))
  const files = ['tocsin.db', 'tocsin.db-wal', ...segments].map((name) => join(data, name))
  await whileReadOnly(files, async () => {
    const answer = await post(service.url, { title: 'nowhere to go' })
    assert.deepEqual([answer.status, await answer.json()], [503, { error: 'the storage is not available' }])
    assert.equal(await ready(service.url)(), 503)
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  })
  await until(ready(service.url), (status) => status === 200)
  await ledger.load(service.url, AbortSignal.timeout(30_000), 50)
  await ledger.audit(service.url, providers)
  await assertSound(service)
})

test('while the data directory is missing, incidents are answered 503; once it is back they are accepted', async (t) => {
  const { data, file, providers, ledger } = await setup(t)
  const service = await startProcess(t, file)
  await ledger.load(service.url, AbortSignal.timeout(30_000), 50)
  renameSync(data, `${data}.gone`)
  const answer = await post(service.url, { title: 'nowhere to go' })
  assert.deepEqual([answer.status, await answer.json()], [503, { error: 'the storage is not available' }])
  assert.equal(await ready(service.url)(), 503)
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  rmSync(data, { recursive: true, force: true })
  renameSync(`${data}.gone`, data)
  await until(ready(service.url), (status) => status === 200)
  await ledger.load(service.url, AbortSignal.timeout(30_000), 50)
  await ledger.audit(service.url, providers)
  assert.equal(service.child.exitCode, null)
})

test('a truncated write-ahead log loses what was in the lost part, and nothing else', async (t) => {
  const { data, file, ledger } = await setup(t)
  const first = await startProcess(t, file)
  await ledger.load(first.url, AbortSignal.timeout(30_000), 50)
  const early = [...ledger.accepted.values()]
  await end(first.child, 'SIGTERM')
  const second = await startProcess(t, file)
  await ledger.load(second.url, AbortSignal.timeout(30_000), 50)
  await end(second.child)
  const wal = join(data, 'tocsin.db-wal')
  truncateSync(wal, Math.floor(statSync(wal).size / 3) + 17)
  const third = await startProcess(t, file)
  for (const id of early) await admin(third.url, `/api/admin/incidents/${id}`)
  assert.equal((await post(third.url, { title: 'on we go' })).status, 201)
  await assertSound(third)
})

test('torn files of the agent are set aside with a log line, never silently replaced', async (t) => {
  const { data, file } = await setup(t)
  mkdirSync(data)
  const torn = new Map(
    ['patterns.json', 'shadow.json', 'detect.json'].map((name) => [name, `{"${name}":[{"id":"p1","te`]),
  )
  for (const [name, text] of torn) writeFileSync(join(data, name), text)
  const service = await startProcess(t, file)
  await until(
    () => torn.size,
    () => readdirSync(data).filter((name) => name.includes('.broken-')).length === torn.size,
  )
  for (const [name, text] of torn) {
    const aside = readdirSync(data).find((each) => each.startsWith(`${name}.broken-`))
    assert.equal(readFileSync(join(data, aside ?? ''), 'utf8'), text)
    assert.match(service.output(), new RegExp(`"file":"${name}","as":"${aside?.replaceAll('.', '\\.')}"`))
  }
  await assertSound(service)
})
