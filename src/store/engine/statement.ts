import type { DatabaseSync } from 'node:sqlite'

export type Parameter = null | number | string | Uint8Array

/** A prepared statement that reads rows of a known shape. */
interface Query<Row> {
  get(...parameters: Parameter[]): Row | undefined
  all(...parameters: Parameter[]): Row[]
  iterate(...parameters: Parameter[]): Iterable<Row>
}
type Values = readonly unknown[]

/** A prepared statement that changes rows. */
export interface Command {
  run(...parameters: Parameter[]): { readonly changes: number; readonly lastInsertRowid: number }
}

/**
 * Prepares a statement that reads rows. The caller vouches that `Row` fits the columns it selects; rows get their type
 * here only. Rows are built by hand from arrays: the objects of `node:sqlite` have a shape of their own each, which is
 * slower to build and to read than the query itself.
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

/** Replaces NUL characters: `node:sqlite` reads a text only up to the first one. */
export const withoutNul = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text)
