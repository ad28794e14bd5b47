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
function query<Row>(db: Sql, sql: string): Query<Row> {
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

/** Sizes of lists, and of rows that one statement writes; few, because each text is prepared by itself. */
const LISTS = [1, 8, 64] as const
const ROWS = [64, 16, 4, 1] as const
const LONGEST = 64

/** Prepares a statement for each length of a list, which `prepare` gets the places of: `place` for each value. */
function byLength<Statement>(place: string, prepare: (places: string) => Statement) {
  const prepared = new Map<number, Statement>()
  return (length: number): Statement => {
    const known = prepared.get(length) ?? prepare(Array.from({ length }, () => place).join(', '))
    prepared.set(length, known)
    return known
  }
}

/** Splits a list into parts of a length that is prepared. The last value fills the last part: it counts once in a list. */
function partsOf(values: readonly Parameter[]): Parameter[][] {
  const parts: Parameter[][] = []
  for (let at = 0; at < values.length; at += LONGEST) {
    const part = values.slice(at, at + LONGEST)
    const length = LISTS.find((each) => each >= part.length) ?? LONGEST
    parts.push(Array.from({ length }, (_, nth) => part[Math.min(nth, part.length - 1)] as Parameter))
  }
  return parts
}

/**
 * Prepares a query over a list of values, which `sqlOf` gets the places of, behind the parameters `first`. Returns all rows, in
 * no order.
 */
function queryList<Row>(db: Sql, sqlOf: (places: string) => string) {
  const statement = byLength('?', (places) => query<Row>(db, sqlOf(places)))
  return (values: readonly Parameter[], ...first: Parameter[]): Row[] =>
    partsOf(values).flatMap((part) => statement(part.length).all(...first, ...part))
}

/** Prepares a command over a list of values, as `queryList`. */
function commandList(db: Sql, sqlOf: (places: string) => string) {
  const statement = byLength('?', (places) => command(db, sqlOf(places)))
  return (values: readonly Parameter[], ...first: Parameter[]): void => {
    for (const part of partsOf(values)) statement(part.length).run(...first, ...part)
  }
}

/** Prepares a command over rows of `columns` values each, no two of one key; `sqlOf` gets their places in brackets. */
function rowsCommand(db: Sql, columns: number, sqlOf: (places: string) => string) {
  const place = `(${Array.from({ length: columns }, () => '?').join(', ')})`
  const statement = byLength(place, (places) => command(db, sqlOf(places)))
  return (rows: readonly (readonly Parameter[])[]): void => {
    for (let at = 0; at < rows.length; ) {
      const size = ROWS.find((each) => each <= rows.length - at) ?? 1
      statement(size).run(...rows.slice(at, at + size).flat())
      at += size
    }
  }
}

function command(db: Sql, sql: string): Command {
  const statement = db.prepare(sql)
  return statement.post === undefined ? statement : { run: statement.post }
}

/** A prepared statement that changes rows, and returns their number. */
function change(db: Sql, sql: string) {
  const statement = db.prepare(sql)
  return { run: (...parameters: Parameter[]): number => Number(statement.run(...parameters).changes) }
}

/** Prepares the statements of a connection. */
export const openStatements = (sql: Sql) => ({
  sql,
  query: <Row>(text: string) => query<Row>(sql, text),
  queryList: <Row>(textOf: (places: string) => string) => queryList<Row>(sql, textOf),
  command: (text: string) => command(sql, text),
  commandList: (textOf: (places: string) => string) => commandList(sql, textOf),
  rowsCommand: (columns: number, textOf: (places: string) => string) => rowsCommand(sql, columns, textOf),
  change: (text: string) => change(sql, text),
})

export type Statements = ReturnType<typeof openStatements>

/** Returns codes for an `IN (...)`, which must not be empty; no code is -1. */
export const listOf = (codes: readonly number[]) => [-1, ...codes].join(', ')

/** Replaces NUL characters: neither engine stores a text beyond one. */
export const withoutNul = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text)
