import { CodedError } from '../../domain/errors.ts'
import type { Sql } from '../engine/sql.ts'
import { openStatements } from '../engine/statement.ts'
import { SQLITE_MIGRATIONS } from './sqlite.ts'
import { BASELINE, tooOld } from './version.ts'

/**
 * Runs the missing migrations, each in its own transaction. Throws `storage_down` when a newer program wrote the
 * database, or a development version.
 */
export function migrate(db: Sql, migrations: readonly string[] = SQLITE_MIGRATIONS): void {
  const version = openStatements(db).query<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0
  const newest = BASELINE + migrations.length - 1
  if (version > newest)
    throw new CodedError(
      'storage_down',
      `the database has version ${version}, this program knows versions up to ${newest}: run the newer program or use another data directory`,
    )
  if (version > 0 && version < BASELINE)
    throw tooOld(version, 'move tocsin.db and journal/ away, or set another storage.file.data_dir')
  for (const [at, sql] of migrations.entries()) if (BASELINE + at > version) step(db, sql, BASELINE + at)
}

function step(db: Sql, sql: string, version: number): void {
  try {
    db.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT;`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
