import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openKey } from '../../src/oncall/ack-key.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, post, SECRET } from '../harness/net/requests.ts'
import { startProcess } from '../harness/process.ts'

/** Files that every service with everything on has written. */
const WRITTEN = ['tocsin.db', 'tocsin.db-wal', 'journal.lock', 'journal/', 'ack.key', 'patterns.json']
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** Everything below a folder but what the dashboard is made of, which anybody may ask for. */
const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes('/dashboard/'))

/** A service with everything on that writes files, which has written them. */
async function written(t: TestContext, dir: string): Promise<void> {
  const file = configFile(dir, {
    public_host: 'http://127.0.0.1:9',
    oncall: { enable: true, wait_minutes: 60, provider: 'webhook', webhook: { url: 'http://127.0.0.1:9/page' } },
    agent: {
      enable: true,
      mode: 'shadow',
      poll_interval: '50ms',
      new_service_grace: '0s',
      sources: [{ name: 'push', type: 'http', enable: true }],
    },
    log: { level: 'info' },
  })
  const { url } = await startProcess(t, file)
  assert.equal((await post(url, { title: 'on disk' })).status, 201)
  const operator = { method: 'POST', headers: { 'X-Gateway-Secret': SECRET, 'Content-Type': 'text/plain' } }
  await fetch(`${url}/api/agent/logs/push`, { ...operator, body: 'ERROR cannot write entry 4711\n'.repeat(20) })
  for (const path of ['/api/agent/flush', '/api/agent/detect/flush'])
    assert.equal((await fetch(url + path, { method: 'POST', headers: operator.headers })).status, 200, path)
  await admin(url, '/api/admin/incidents')
}

function withoutMask(t: TestContext): void {
  const before = process.umask(0)
  t.after(() => process.umask(before))
}

test('what is in the data directory belongs to its owner alone, whatever the process may grant', async (t) => {
  withoutMask(t)
  const dir = folder()
  await written(t, dir)
  const data = join(dir, 'data')
  const files = filesIn(data)
  const names = files.map((path) => path.slice(data.length + 1)).join(' ')
  for (const name of WRITTEN) assert.ok(names.includes(name), names)
  assert.equal(modeOf(data), '700')
  for (const path of files) assert.equal(modeOf(path), '600', path)
})

test('files of an earlier version that others could read are theirs no longer', async (t) => {
  withoutMask(t)
  const dir = folder()
  const data = join(dir, 'data')
  mkdirSync(data)
  openKey(data)
  chmodSync(join(data, 'ack.key'), 0o644)
  for (const name of ['patterns.json', 'tocsin.db', 'journal.lock'])
    writeFileSync(join(data, name), name === 'patterns.json' ? '{}' : '', { mode: 0o666 })
  writeFileSync(join(data, 'patterns.json.tmp'), '{}', { mode: 0o666 })
  await written(t, dir)
  for (const path of filesIn(data)) assert.equal(modeOf(path), '600', path)
})

test('a data directory that is a link is the one that it leads to', async (t) => {
  const dir = folder()
  const real = join(dir, 'volume')
  mkdirSync(real, { mode: 0o700 })
  symlinkSync(real, join(dir, 'data'))
  await written(t, dir)
  assert.ok(lstatSync(join(dir, 'data')).isSymbolicLink())
  for (const name of ['tocsin.db', 'tocsin.db-wal', 'ack.key', 'patterns.json'])
    assert.equal(modeOf(join(real, name)), '600')
  const second = configFile(folder(), { storage: { file: { data_dir: realpathSync(real) } }, log: { level: 'info' } })
  await assert.rejects(startProcess(t, second), /another process uses the data directory/)
})

test('a database that is a link is the one that it leads to, its log beside it, both for their owner alone', async (t) => {
  withoutMask(t)
  const dir = folder()
  const [data, volume] = [join(dir, 'data'), join(dir, 'volume')]
  for (const each of [data, volume]) mkdirSync(each, { mode: 0o700 })
  writeFileSync(join(volume, 'real.db'), '', { mode: 0o644 })
  symlinkSync(join(volume, 'real.db'), join(data, 'tocsin.db'))
  await written(t, dir)
  for (const name of readdirSync(volume)) assert.equal(modeOf(join(volume, name)), '600', name)
  assert.ok(readdirSync(volume).includes('real.db-wal'))
})
