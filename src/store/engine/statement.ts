import type { DatabaseSync } from 'node:sqlite'

export type Parameter = null | number | string | Uint8Array

/** A prepared statement that reads rows of a known shape. */
interface Query<Row> {
  get(...parameters: Parameter[]): Row | undefined
  all(...parameters: Parameter[]): Row[]
  iterate(...parameters: Parameter[]): Iterable<Row>
}
/** One row, in the order of its columns. */
type Values = readonly unknown[]

/** A prepared statement that changes rows. */
export interface Command {
  run(...parameters: Parameter[]): { readonly changes: number }
}

/**
 * `Row` is the caller's word for the columns it selects: the one place where rows get their type. What `node:sqlite` makes of a row by itself
 * has a shape like no other row, and costs more to build and to read than all the rest of a query.
 */
export function query<Row>(db: DatabaseSync, sql: string): Query<Row> {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  const names = statement.columns().map(({ name }) => name ?? '')
  const rowOf = (values: Values): Row => {
    const row: { [name: string]: unknown } = {}
    for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at]
    return row as Row
  }
  return {
    get(...parameters) {
      const values = statement.get(...parameters) as Values | undefined
      return values && rowOf(values)
    },
    all: (...parameters) => (statement.all(...parameters) as unknown as Values[]).map(rowOf),
    *iterate(...parameters) {
      for (const values of statement.iterate(...parameters)) yield rowOf(values as unknown as Values)
    },
  }
}

export const command = (db: DatabaseSync, sql: string) => db.prepare(sql) as unknown as Command

/** Text as it can be read back: `node:sqlite` reads one only up to its first NUL. */
export const withoutNul = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text)
