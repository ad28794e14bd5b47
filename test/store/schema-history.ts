import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const text = readFileSync(new URL('./fixtures/schema-history.sql', import.meta.url), 'utf8')
/** For each version: the migration to it as it was published, then rows as its programs wrote them. */
const STEPS = text.split(/^-- version \d+$/m).slice(1)

export const VERSIONS = STEPS.map((_, at) => at + 1)

/** Writes a database of an earlier version to the directory, closed. */
export function writeDatabase(dataDir: string, version: number): void {
  const db = new DatabaseSync(join(dataDir, 'tocsin.db'))
  // One transaction without fsync: only the file that it leaves counts.
  db.exec('PRAGMA synchronous = OFF; BEGIN')
  for (const step of STEPS.slice(0, version)) db.exec(step)
  db.exec(`PRAGMA user_version = ${version}; COMMIT`)
  db.close()
}

/** Returns tables and indexes of the database of a closed store. */
export function schemaOf(dataDir: string): { readonly name: unknown; readonly sql: unknown }[] {
  const db = new DatabaseSync(join(dataDir, 'tocsin.db'))
  const rows = db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  db.close()
  return rows.map(({ name, sql }) => ({ name, sql }))
}
