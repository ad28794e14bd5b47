import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { openSyncPostgres, type SyncPostgres } from '../../src/postgres/sync.ts'
import { openDatabase as openSqlite } from '../../src/store/engine/database.ts'
import type { Sql } from '../../src/store/engine/sql.ts'
import { openPostgresStore } from '../../src/store/postgres/engine.ts'
import { installSchema, STORE_PART } from '../../src/store/postgres/schema.ts'
import { POSTGRES_MIGRATIONS } from '../../src/store/schema/postgres.ts'
import { openStore as open, type Store } from '../../src/store/store.ts'
import type { StoreOptions } from '../../src/store/store-options.ts'
import { folder } from '../harness/config-file.ts'
import { Faults } from './faults.ts'

/** URL of an empty database: the tests of the store run on PostgreSQL. Absent: on SQLite. */
const URL = process.env.TOCSIN_TEST_POSTGRES

/** Options of a test about the files of SQLite. */
export const ON_FILES = URL === undefined ? {} : { skip: 'about the files of SQLite' }

/** Tests let every nth statement fail: on a server each takes longer, and the statements are the same. */
export const EVERY_NTH = URL === undefined ? 1 : 12

/** As the function of SQLite. On PostgreSQL each directory has a schema of its own in its place. */
export const openDatabase = (dataDir: string, faults = new Faults()): Sql =>
  URL === undefined ? openFile(dataDir, faults) : openPostgresStore(connect(URL, schemaOf(dataDir), faults))

export const openStore = (options: StoreOptions, db: Sql = openDatabase(options.dataDir)): Store => open(options, db)

/** Returns the rows of a query by hand. */
export const rowsOf = <Row>(db: Sql, sql: string): Row[] => db.prepare(sql).all() as Row[]

/** Makes the rows of these incidents fail, and no others, as a bug would; of none: no more. */
export function failAt(db: Sql, numbers: readonly number[]): void {
  const list = [0, ...numbers].join(', ')
  if (URL === undefined)
    db.exec(`DROP TRIGGER IF EXISTS failing;
      CREATE TRIGGER failing AFTER INSERT ON incidents WHEN new.seq IN (${list}) BEGIN SELECT raise(ABORT, 'on purpose'); END`)
  else
    db.exec(`ALTER TABLE incidents DROP CONSTRAINT IF EXISTS "failing on purpose";
      ALTER TABLE incidents ADD CONSTRAINT "failing on purpose" CHECK (seq NOT IN (${list})) NOT VALID`)
}

/** Leaves a directory the data of another one, which a closed database has. */
export function inherit(from: string, to: string): void {
  schemas.set(to, schemaOf(from))
}

/** Lets another test use the schema of a directory that is not used any more. */
export function release(dataDir: string): void {
  const schema = schemas.get(dataDir)
  if (URL === undefined || schema === undefined) return
  for (const [directory, other] of schemas) if (other === schema) schemas.delete(directory)
  free.push(schema)
}

/** Statements that bring the rows of the tables back to those of a new schema. */
function* emptying(): Generator<string> {
  const statements = POSTGRES_MIGRATIONS.join('')
  for (const [, table] of statements.matchAll(/^CREATE TABLE (\w+)/gm)) yield `DELETE FROM ${table}`
  for (const [, table, identity] of statements.matchAll(/^CREATE TABLE (\w+) \(\s*(\w+) bigint GENERATED/gm))
    yield `ALTER TABLE ${table} ALTER COLUMN ${identity} RESTART WITH 1`
  yield 'ALTER TABLE incidents DROP CONSTRAINT IF EXISTS "failing on purpose"'
  for (const [insert] of statements.matchAll(/^INSERT .*$/gm)) yield insert.replace(';', '')
}
const EMPTYING = URL === undefined ? [] : [...emptying()]

const schemas = new Map<string, string>()
/** Schemas whose tables hold rows of a test that ended. */
const free: string[] = []
let made = 0
let cleaner: SyncPostgres | undefined

let template: string | undefined

/** Opens the file of a directory. A new one begins as a copy of a migrated one. No test cuts the power: nothing is synced. */
function openFile(dataDir: string, faults: Faults): Sql {
  template ??= migrated()
  const file = join(dataDir, 'tocsin.db')
  if (existsSync(dataDir) && !existsSync(file)) copyFileSync(template, file)
  const db: Sql = openSqlite(dataDir)
  const exec = db.exec.bind(db)
  exec('PRAGMA synchronous = OFF')
  db.exec = (sql) => (sql.startsWith('PRAGMA synchronous') ? undefined : exec(sql))
  faults.watch(db)
  return db
}

function migrated(): string {
  const dir = folder()
  openSqlite(dir).close()
  return join(dir, 'tocsin.db')
}

function schemaOf(dataDir: string): string {
  const known = schemas.get(dataDir)
  if (known !== undefined) return known
  const used = free.pop()
  const schema = used ?? `store_${process.pid}_${++made}`
  schemas.set(dataDir, schema)
  if (used === undefined) {
    const connection = connect(URL as string, schema)
    installSchema(connection, schema, [STORE_PART])
    connection.close()
  } else empty(schema)
  return schema
}

/** Brings the rows of the tables back to those of a new schema. */
function empty(schema: string): void {
  cleaner ??= connect(URL as string, 'public')
  cleaner.exec(`SET search_path TO ${schema}; ${EMPTYING.join('; ')}`)
}

function connect(url: string, schema: string, faults?: Faults): SyncPostgres {
  const settings = { url, listenUrl: '', schema, leaseMs: 5_000, commitTimeoutMs: 5_000, requireSynchronous: false }
  const connection = openSyncPostgres(settings, { applicationName: 'store test' })
  return faults === undefined ? connection : faults.watchConnection(connection)
}
