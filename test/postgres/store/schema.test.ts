import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLUSTER_TABLES } from '../../../src/cluster/tables.ts'
import type { SyncPostgres } from '../../../src/postgres/sync.ts'
import { installSchema, type SchemaPart, STORE_PART } from '../../../src/store/postgres/schema.ts'
import { withCode } from '../../store/support.ts'
import { opened, sharedServer } from '../settings.ts'
import { given } from './support.ts'

const FIRST = 'CREATE TABLE words (word text PRIMARY KEY)'
const SECOND = "ALTER TABLE words ADD COLUMN length bigint; INSERT INTO words VALUES ('a', 1)"
const columnsOf = (connection: SyncPostgres, table: string) =>
  connection
    .query('SELECT column_name FROM information_schema.columns WHERE table_name = $1 ORDER BY 1', [table])
    .rows.flat()

test('tables are made once, and brought to the version of the program in steps', async (t) => {
  const there = await given(t)
  if (!there) return
  const { connection } = there
  const install = (...migrations: string[]) => installSchema(connection, 'public', [{ name: 'words', migrations }])
  install(FIRST)
  install(FIRST)
  assert.deepEqual(columnsOf(connection, 'words'), ['word'])
  install(FIRST, SECOND)
  assert.deepEqual(columnsOf(connection, 'words'), ['length', 'word'])
  install(FIRST)
  assert.deepEqual(columnsOf(connection, 'words'), ['length', 'word'], 'an older program leaves them as they are')
})

test('tables that need a newer program are refused', async (t) => {
  const there = await given(t)
  if (!there) return
  const { connection } = there
  const part = (migrations: readonly string[], compatibleFrom: number): SchemaPart => ({
    name: 'words',
    migrations,
    compatibleFrom,
  })
  installSchema(connection, 'public', [part([FIRST, SECOND], 2)])
  assert.throws(() => installSchema(connection, 'public', [part([FIRST], 0)]), withCode('storage_down'))
  assert.throws(() => installSchema(connection, 'public', [part([FIRST], 0)]), /run the newer program/)
})

test('tables are not changed beyond what a replica that runs knows', async (t) => {
  const there = await given(t)
  if (!there) return
  const { connection } = there
  const words = (migrations: readonly string[], compatibleFrom: number) =>
    installSchema(connection, 'public', [{ name: 'words', migrations, compatibleFrom }, CLUSTER_TABLES])
  const replica = (lease: string) =>
    connection.query(`INSERT INTO replicas (name, address, version, lease_until)
      VALUES ('old-1', '', '1', clock_timestamp() + interval '${lease}')`)
  words([FIRST], 0)
  replica('-1 second')
  words([FIRST, SECOND], 2)
  replica('1 hour')
  const third = 'ALTER TABLE words ADD COLUMN third bigint'
  assert.throws(() => words([FIRST, SECOND, third], 3), /replicas run: stop old-1 first/)
  words([FIRST, SECOND, third], 2)
  assert.deepEqual(columnsOf(connection, 'words'), ['length', 'third', 'word'])
})

test('tables of a development version are refused with the way out', async (t) => {
  const there = await given(t)
  if (!there) return
  const { connection } = there
  connection.exec("UPDATE schema_versions SET version = 28 WHERE part = 'store'")
  assert.throws(() => installSchema(connection, 'public', [STORE_PART]), withCode('storage_down'))
  assert.throws(() => installSchema(connection, 'public', [STORE_PART]), /version 28.*name a new schema/)
})

test('a later migration changes the tables of the store', async (t) => {
  const there = await given(t)
  if (!there) return
  const { connection } = there
  const later = "ALTER TABLE pauses ADD COLUMN note text; UPDATE pauses SET note = 'x' WHERE since > 0;"
  installSchema(connection, 'public', [{ ...STORE_PART, migrations: [...STORE_PART.migrations, later] }])
  assert.deepEqual(columnsOf(connection, 'pauses'), ['channel', 'note', 'since'])
  there.open()
})

test('tables of version 40 with problems are brought to this version, with an opening of each problem', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const connection = opened(t, await server.database())
  installSchema(connection, 'public', [{ ...STORE_PART, migrations: STORE_PART.migrations.slice(0, 2) }])
  const columns = `id, fingerprint, state, brief, last_at, since, opened_at, opening, first_at, level, ended_by, flap_at, title, service,
    severity, sender, source, last_incident, last_id`
  for (const [id, state, endedBy] of [
    [1, 0, 'NULL'],
    [2, 1, "'sender'"],
  ] as const)
    connection.exec(
      `INSERT INTO problems (${columns}) VALUES (${id}, 'custom:${id}', ${state}, 0, 9, 9, 5, ${id}, 5, 1, ${endedBy}, 0, 'Disk', 'db', 'high', 'custom', 'webhook', ${id}, '${id}')`,
    )
  installSchema(connection, 'public', [STORE_PART])
  const { rows } = connection.query('SELECT id, fingerprint, opened_at, ended_at, ended_by FROM openings ORDER BY id')
  assert.deepEqual(rows, [
    [1, 'custom:1', 5, null, null],
    [2, 'custom:2', 5, 9, 'sender'],
  ])
  assert.ok(columnsOf(connection, 'notices').includes('words'))
})

test('each part is installed in the schema of the settings', async (t) => {
  const there = await given(t)
  if (!there) return
  const { connection } = there
  connection.exec('SET search_path TO elsewhere')
  installSchema(connection, 'elsewhere', [STORE_PART])
  const { rows } = connection.query("SELECT schemaname FROM pg_tables WHERE tablename = 'dispatches' ORDER BY 1")
  assert.deepEqual(rows.flat(), ['elsewhere', 'public'])
})

test('a schema that the role may not use is told with the way out', async (t) => {
  const there = await given(t)
  if (!there) return
  const { connection } = there
  connection.exec('CREATE SCHEMA closed; REVOKE ALL ON SCHEMA closed FROM CURRENT_USER')
  assert.throws(() => installSchema(connection, 'closed', [STORE_PART]), withCode('storage_down'))
  assert.throws(
    () => installSchema(connection, 'closed', [STORE_PART]),
    /GRANT USAGE, CREATE ON SCHEMA closed TO tocsin/,
  )
})

test('a role that may not create the schema is told with the way out', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const url = new URL(await server.database())
  const database = url.pathname.slice(1)
  await server.sql('CREATE ROLE guest LOGIN')
  url.username = 'guest'
  const connection = opened(t, url.href, { schema: 'shop' })
  const install = () => installSchema(connection, 'shop', [CLUSTER_TABLES])
  const message = `the role guest may not create the schema shop in the database ${database}: CREATE SCHEMA shop AUTHORIZATION guest, or GRANT CREATE ON DATABASE ${database} TO guest`
  assert.throws(install, { code: 'storage_down', message })
  await server.sql('CREATE SCHEMA shop AUTHORIZATION guest', url.href)
  install()
})
