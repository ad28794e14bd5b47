import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { SyncPostgres } from '../../../src/postgres/sync.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { POSTGRES_MIGRATIONS } from '../../../src/store/schema/postgres.ts'
import { SQLITE_MIGRATIONS } from '../../../src/store/schema/sqlite.ts'
import { given } from './support.ts'

interface Table {
  readonly columns: { readonly [name: string]: string }
  readonly primaryKey: string
  readonly unique: readonly string[]
  readonly indexes: { readonly [name: string]: string }
  readonly rows: readonly unknown[]
}
type Tables = { readonly [name: string]: Table }

test('the tables of both engines have the same columns, keys, indexes and rows', async (t) => {
  const there = await given(t)
  if (!there) return
  const db = new DatabaseSync(':memory:')
  t.after(() => db.close())
  migrate(db)
  const [ofSqlite, ofPostgres] = [tablesOfSqlite(db), tablesOfPostgres(there.connection)]
  assert.deepEqual(Object.keys(ofPostgres).sort(), Object.keys(ofSqlite).sort())
  for (const [name, table] of Object.entries(ofSqlite)) assert.deepEqual(ofPostgres[name], table, name)
  assert.equal(POSTGRES_MIGRATIONS.length, SQLITE_MIGRATIONS.length)
})

const TYPES: { readonly [type: string]: string } = {
  bigint: 'INTEGER',
  'text C': 'TEXT',
  'double precision': 'REAL',
  bytea: 'BLOB',
}
const columnText = (type: string, isNotNull: boolean, byDefault: unknown) =>
  `${type}${isNotNull ? ' NOT NULL' : ''}${byDefault === null ? '' : ` DEFAULT ${byDefault}`}`
/** PostgreSQL puts conditions in parentheses of its own, and numbers into casts. */
const condition = (text: string | null | undefined) =>
  (text ?? '')
    .replace(/::\w+|[()]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
const indexText = (columns: string, where: string | null | undefined) => `${columns} WHERE ${condition(where)}`

function tablesOfSqlite(db: DatabaseSync): Tables {
  const all = <Row>(sql: string) => db.prepare(sql).all() as Row[]
  const names = all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%' AND name NOT LIKE 'sqlite%'",
  )
  const columnsOf = (index: string) =>
    all<{ name: string }>(`PRAGMA index_info(${index})`)
      .map(({ name }) => name)
      .join(', ')
  return Object.fromEntries(
    names.map(({ name }) => {
      const columns = all<{ name: string; type: string; notnull: number; dflt_value: string | null; pk: number }>(
        `PRAGMA table_info(${name})`,
      )
      const indexes = all<{ name: string; origin: string }>(`PRAGMA index_list(${name})`)
      const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
      const whereOf = (index: string) =>
        all<{ sql: string }>(`SELECT sql FROM sqlite_schema WHERE name = '${index}'`)[0]?.sql.split(' WHERE ')[1]
      return [
        name,
        {
          columns: Object.fromEntries(
            columns.map((each) => [each.name, columnText(each.type, each.notnull + each.pk > 0, each.dflt_value)]),
          ),
          primaryKey: keys.map((key) => key.name).join(', '),
          unique: indexes.filter(({ origin }) => origin === 'u').map((index) => columnsOf(index.name)),
          indexes: Object.fromEntries(
            indexes
              .filter(({ origin }) => origin === 'c')
              .map((index) => [index.name, indexText(columnsOf(index.name), whereOf(index.name))])
              .sort(),
          ),
          rows: all<object>(`SELECT * FROM ${name} ORDER BY 1`).map((row) => ({ ...row })),
        },
      ]
    }),
  )
}

/** All but the search index, and the count of transactions, which the fence of PostgreSQL has. */
function tablesOfPostgres(connection: SyncPostgres): Tables {
  const all = (sql: string) => connection.query(sql).rows as unknown as string[][]
  const names = all(
    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('search', 'schema_versions')",
  )
  return Object.fromEntries(
    names.map(([name = '']) => {
      const columns = connection.query(
        `SELECT a.attname, format_type(a.atttypid, NULL) || coalesce(' ' || c.collname, ''), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
         FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
           LEFT JOIN pg_collation c ON c.oid = a.attcollation
         WHERE a.attrelid = '${name}'::regclass AND a.attnum > 0 AND a.attname <> 'transactions' ORDER BY a.attnum`,
      ).rows as [string, string, number, string | null][]
      const indexes = connection.query(
        `SELECT i.indexrelid::regclass::text, i.indisprimary, i.indisunique, pg_get_expr(i.indpred, i.indrelid),
           (SELECT string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' ORDER BY n) FROM generate_series(1, i.indnatts) n)
         FROM pg_index i WHERE i.indrelid = '${name}'::regclass ORDER BY 1`,
      ).rows as [string, number, number, string | null, string][]
      const { rows, names: read } = connection.query(`SELECT * FROM ${name} ORDER BY 1`)
      return [
        name,
        {
          columns: Object.fromEntries(
            columns.map(([column, type, notNull, byDefault]) => [
              column,
              columnText(TYPES[type] ?? type, notNull === 1, byDefault?.replace(/::\w+/, '') ?? null),
            ]),
          ),
          primaryKey: indexes.find(([, isPrimary]) => isPrimary === 1)?.[4] ?? '',
          unique: indexes.filter(([, isPrimary, isUnique]) => isUnique > isPrimary).map((index) => index[4]),
          indexes: Object.fromEntries(
            indexes
              .filter(([, , isUnique]) => isUnique === 0)
              .map(([index, , , where, indexed]) => [index, indexText(indexed, where)]),
          ),
          rows: rows.map((row) =>
            Object.fromEntries(
              row.map((value, at) => [read[at], value]).filter(([column]) => column !== 'transactions'),
            ),
          ),
        },
      ]
    }),
  )
}
