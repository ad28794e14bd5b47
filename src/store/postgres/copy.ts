import type { DatabaseSync } from 'node:sqlite'
import type { SyncPostgres } from '../../postgres/sync.ts'
import type { Parameter } from '../engine/sql.ts'

/** Rows that travel together. */
const ROWS = 500

interface Table {
  readonly name: string
  readonly columns: readonly string[]
}

/**
 * Copies the tables of a store in files into new ones, in the transaction that is open. The search index is made anew by
 * the service. `copied` is called after each table. Throws what the connection throws.
 */
export function copyStore(db: DatabaseSync, to: SyncPostgres, copied: (table: string, rows: number) => void): void {
  const tables = tablesOf(db)
  to.exec(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`)
  for (const table of tables) copied(table.name, copyTable(db, to, table))
  to.query('UPDATE indexed SET through = 0')
  to.query('DELETE FROM reindex')
  continueIdentities(to)
}

function copyTable(db: DatabaseSync, to: SyncPostgres, { name, columns }: Table): number {
  const select = db.prepare(`SELECT ${columns.join(', ')} FROM ${name}`)
  select.setReturnArrays(true)
  const places = columns.map((_, at) => `$${at + 1}`)
  const insert = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places.join(', ')})`
  let rows = 0
  for (const values of select.iterate()) {
    to.queue(insert, values as unknown as readonly Parameter[])
    if (++rows % ROWS === 0) to.flush()
  }
  to.flush()
  return rows
}

/** All but the search index. */
function tablesOf(db: DatabaseSync): Table[] {
  const tables = db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%' AND name NOT LIKE 'sqlite%'`,
    )
    .all() as { name: string }[]
  return tables.map(({ name }) => ({ name, columns: db.prepare(`SELECT * FROM ${name}`).columns().map(nameOf) }))
}

const nameOf = (column: { readonly name: string | null }) => column.name ?? ''

/** New rows get numbers above those that were copied. */
function continueIdentities(to: SyncPostgres): void {
  const { rows } = to.query(
    `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema AND is_identity = 'YES'`,
  )
  for (const [table, column] of rows as (readonly [string, string])[])
    to.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), greatest(1, (SELECT coalesce(max(${column}), 0) FROM ${table})))`,
    )
}
