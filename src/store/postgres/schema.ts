import { CodedError } from '../../domain/errors.ts'
import { quoted } from '../../postgres/session.ts'
import type { SyncPostgres } from '../../postgres/sync.ts'
import { POSTGRES_MIGRATIONS } from '../schema/postgres.ts'
import { BASELINE, tooOld } from '../schema/version.ts'

/** Tables of one part of the program. */
export interface SchemaPart {
  readonly name: string
  /** DDL texts: the first makes the tables of version `baseline`, each later one those of the next. A published one never changes. */
  readonly migrations: readonly string[]
  /** Lower versions are those of development programs. Absent: 1. */
  readonly baseline?: number
  /**
   * The lowest version that a program may know to run on these tables: replicas of two versions run at the
   * same time while they are replaced. Absent: any.
   */
  readonly compatibleFrom?: number
}

/** A change of a table that waits for its lock holds up all who use the table. */
const LOCK_MS = 1_000

/** The tables of the store. */
export const STORE_PART: SchemaPart = { name: 'store', migrations: POSTGRES_MIGRATIONS, baseline: BASELINE }

/**
 * Creates the schema and brings its tables to the versions of the parts, in one transaction; replicas that start at the
 * same time wait for each other. Throws `storage_down`: when a table is locked by others for longer than a second, also when a newer program has changed the tables beyond what this
 * one knows, and when replicas run that would not know the tables any more.
 */
export function installSchema(connection: SyncPostgres, schema: string, parts: readonly SchemaPart[]): void {
  connection.begin()
  try {
    connection.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`tocsin ${schema}`])
    connection.exec(`SET LOCAL lock_timeout = ${LOCK_MS}`)
    const { rows } = connection.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
    if (rows.length > 0) checkRights(connection, schema)
    else createSchema(connection, schema)
    connection.exec(
      'CREATE TABLE IF NOT EXISTS schema_versions (part text PRIMARY KEY, version bigint NOT NULL, compatible_from bigint NOT NULL)',
    )
    for (const part of parts) install(connection, part)
    connection.commit()
  } catch (error) {
    connection.rollback()
    throw error
  }
}

function createSchema(connection: SyncPostgres, schema: string): void {
  const { rows } = connection.query(
    "SELECT current_user::text, current_database()::text, has_database_privilege(current_database(), 'CREATE')",
  )
  const [role, database, may] = rows[0] as readonly [string, string, number]
  if (may === 0)
    throw new CodedError(
      'storage_down',
      `the role ${role} may not create the schema ${schema} in the database ${database}: CREATE SCHEMA ${schema} AUTHORIZATION ${role}, or GRANT CREATE ON DATABASE ${database} TO ${role}`,
    )
  connection.exec(`CREATE SCHEMA ${quoted(schema)}`)
}

/** Without a right on the schema PostgreSQL acts as if it did not exist. */
function checkRights(connection: SyncPostgres, schema: string): void {
  const { rows } = connection.query(
    `SELECT current_user::text, has_schema_privilege($1, 'USAGE') AND has_schema_privilege($1, 'CREATE')`,
    [schema],
  )
  const [role, may] = rows[0] as readonly [string, number]
  if (may === 0)
    throw new CodedError(
      'storage_down',
      `the role ${role} may not use the schema ${schema} of PostgreSQL: make it the owner, or GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`,
    )
}

function install(connection: SyncPostgres, part: SchemaPart): void {
  const { name, migrations, baseline = 1, compatibleFrom = 0 } = part
  const newest = baseline + migrations.length - 1
  const { rows } = connection.query('SELECT version, compatible_from FROM schema_versions WHERE part = $1', [name])
  const [version, oldest] = (rows[0] ?? [0, 0]) as readonly [number, number]
  if (oldest > newest)
    throw new CodedError(
      'storage_down',
      `the tables of ${name} in PostgreSQL have version ${version} and need a program that knows version ${oldest}, this one knows versions up to ${newest}: run the newer program`,
    )
  if (version > 0 && version < baseline) throw tooOld(version, 'name a new schema in storage.postgres.schema')
  if (version >= newest) return
  if (version > 0 && compatibleFrom > version) mustRunAlone(connection, part)
  for (const migration of migrations.slice(version === 0 ? 0 : version - baseline + 1)) connection.exec(migration)
  connection.query(
    `INSERT INTO schema_versions (part, version, compatible_from) VALUES ($1, $2, $3)
     ON CONFLICT (part) DO UPDATE SET version = excluded.version, compatible_from = excluded.compatible_from`,
    [name, newest, compatibleFrom],
  )
}

/** Programs that run already would go on with tables that they do not know. */
function mustRunAlone(connection: SyncPostgres, { name }: SchemaPart): void {
  const [isThere] = connection.query(`SELECT to_regclass('replicas') IS NOT NULL`).rows
  if (isThere?.[0] !== 1) return
  const { rows } = connection.query('SELECT name FROM replicas WHERE lease_until > clock_timestamp() ORDER BY name')
  if (rows.length > 0)
    throw new CodedError(
      'storage_down',
      `this program changes the tables of ${name} in PostgreSQL so that older ones cannot use them, and replicas run: stop ${rows.join(', ')} first, then start this one`,
    )
}
