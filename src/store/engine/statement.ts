import type { Parameter, Sql, SqlStatement } from './sql.ts'

/** A prepared statement that reads rows of a known shape; it may change them too. */
interface Query<Row> {
  get(...parameters: Parameter[]): Row | undefined
  all(...parameters: Parameter[]): Row[]
}
type Values = readonly unknown[]

/** A prepared statement that changes rows, and whose outcome nothing asks for. */
export interface Command {
  run(...parameters: Parameter[]): void
}

/**
 * Prepares a statement that reads rows. The caller vouches that `Row` fits the columns it selects; rows get their type
 * here only. Rows are built by hand from arrays: the objects of `node:sqlite` have a shape of their own each, which is
 * slower to build and to read than the query itself.
 */
export function query<Row>(db: Sql, sql: string): Query<Row> {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  let names: readonly string[] | undefined
  const rowOf = (values: Values): Row => {
    names ??= namesOf(statement)
    const row: { [name: string]: unknown } = {}
    for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at]
    return row as Row
  }
  return {
    get(...parameters) {
      const values = statement.get(...parameters) as Values | undefined
      return values && rowOf(values)
    },
    all: (...parameters) => (statement.all(...parameters) as Values[]).map(rowOf),
  }
}

const namesOf = (statement: SqlStatement) => statement.columns().map(({ name }) => name ?? '')

/** Sizes of the lists of `queryList`. */
const LISTS = [64, 8, 1] as const

/** Prepares a query over a list of values, which `sqlOf` gets the places of. Returns all rows, in no order. */
export function queryList<Row>(db: Sql, sqlOf: (places: string) => string): (values: readonly Parameter[]) => Row[] {
  const prepared = new Map<number, Query<Row>>()
  const statement = (size: number) => {
    const known = prepared.get(size) ?? query<Row>(db, sqlOf(Array.from({ length: size }, () => '?').join(', ')))
    prepared.set(size, known)
    return known
  }
  return (values) => {
    const rows: Row[] = []
    for (let at = 0; at < values.length; ) {
      const size = LISTS.find((each) => each <= values.length - at) ?? 1
      rows.push(...statement(size).all(...values.slice(at, at + size)))
      at += size
    }
    return rows
  }
}

export function command(db: Sql, sql: string): Command {
  const statement = db.prepare(sql)
  return statement.post === undefined ? statement : { run: statement.post }
}

/** A prepared statement that changes rows, and returns their number. */
export function change(db: Sql, sql: string) {
  const statement = db.prepare(sql)
  return { run: (...parameters: Parameter[]): number => Number(statement.run(...parameters).changes) }
}

/** Returns codes for an `IN (...)`, which must not be empty; no code is -1. */
export const listOf = (codes: readonly number[]) => [-1, ...codes].join(', ')

/** Replaces NUL characters: neither engine stores a text beyond one. */
export const withoutNul = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text)
