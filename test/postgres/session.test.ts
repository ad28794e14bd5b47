import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { connectPostgres } from '../../src/postgres/connect.ts'
import { refusalOf } from '../../src/postgres/session.ts'
import { until } from '../harness/until.ts'
import { opened, ownServer, settingsOf, sharedServer } from './settings.ts'

const SETTINGS = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'search_path',
  'jit',
  'TimeZone',
]
const EXPECTED = ['4s', '2s', '3s', '"public"', 'off', 'UTC']

test('both kinds of connections have the settings of the session', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const url = await server.database()
  const db = opened(t, url)
  const sql = `SELECT ${SETTINGS.map((name) => `current_setting('${name}')`).join(', ')}, current_setting('application_name')`
  assert.deepEqual(db.query(sql).rows, [[...EXPECTED, 'test']])
  const client = await connectPostgres(settingsOf(url), { applicationName: 'other' })
  const { rows } = await client.query({ text: sql, rowMode: 'array' })
  await client.end()
  assert.deepEqual(rows, [[...EXPECTED, 'other']])
})

test('a transaction in which nothing happens ends soon, however long a commit may take', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const db = opened(t, await server.database(), { commitTimeoutMs: 60_000 })
  assert.deepEqual(db.query('SHOW idle_in_transaction_session_timeout').rows, [['3s']])
})

test('a session without synchronous commits is made durable, and one that waits for more is left as it is', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  for (const [given, kept] of [
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'remote_write'],
    ['remote_apply', 'remote_apply'],
  ]) {
    const url = await server.database()
    await server.sql(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = ${given}`)
    assert.deepEqual(opened(t, url).query('SHOW synchronous_commit').rows, [[kept]])
  }
})

for (const [setting, why] of [
  ['fsync', /fsync=off.*set fsync=on/],
  ['full_page_writes', /full_page_writes=off.*set full_page_writes=on/],
  ['default_transaction_read_only', /read-only: set default_transaction_read_only=off/],
] as const) {
  test(`a server is refused for its ${setting}`, async (t) => {
    const server = await ownServer(t)
    if (!server) return
    const db = opened(t, await server.database())
    await server.configure({ [setting]: setting.startsWith('default') ? 'on' : 'off' })
    await until(
      () => server.sql(`SHOW ${setting}`),
      ([row]) => row?.[setting] === (setting.startsWith('default') ? 'on' : 'off'),
    )
    assert.throws(() => db.query('SELECT 1'), { code: 'storage_down', message: why })
    await assert.rejects(connectPostgres(settingsOf(server.admin()), { applicationName: 'test' }), {
      code: 'storage_down',
      message: why,
    })
  })
}

test('a database of another encoding, a wrong database and a role without rights are told apart', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const url = await server.database()
  await server.sql("CREATE DATABASE latin OWNER tocsin TEMPLATE template0 ENCODING 'LATIN1'")
  const refusal = (path: string) => {
    const other = new URL(url)
    other.pathname = path
    return opened(t, other.href)
  }
  assert.throws(() => refusal('latin').query('SELECT 1'), {
    code: 'storage_down',
    message: /encoding LATIN1: create it/,
  })
  assert.throws(() => refusal('missing').query('SELECT 1'), {
    code: 'storage_down',
    message: /"missing" does not exist \(create the database, or correct storage\.postgres\.url\)/,
  })
  await server.sql('CREATE TABLE secret ()', url)
  assert.throws(() => opened(t, url).query('SELECT * FROM secret'), {
    code: 'storage_down',
    message: /permission denied/,
  })
})

test('a server older than PostgreSQL 14 is refused', () => {
  const server = {
    ...{ number: 130_018, version: '13.18', fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' },
    ...{ standbys: '', encoding: 'UTF8', read_only: 'off', standby: false, system: '1', timeline: '00000001' },
  }
  assert.equal(refusalOf(server), 'it runs PostgreSQL 13.18: use 14 or newer')
  assert.equal(refusalOf({ ...server, number: 140_000 }), undefined)
})

test('a process ends while a connection is open', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const url = await server.database()
  const args = ['--disable-warning=ExperimentalWarning', `${import.meta.dirname}/fixtures/short.ts`, url]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 })
  assert.equal(stdout, '[[1]]\n')
})
