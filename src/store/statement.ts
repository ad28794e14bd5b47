import type { DatabaseSync } from 'node:sqlite'

export type Parameter = null | number | string | Uint8Array

/** A prepared statement that reads rows of a known shape. */
export interface Query<Row> {
  get(...parameters: Parameter[]): Row | undefined
  all(...parameters: Parameter[]): Row[]
  iterate(...parameters: Parameter[]): Iterable<Row>
}
/** A prepared statement that changes rows. */
export interface Command {
  run(...parameters: Parameter[]): { readonly changes: number }
}

/** `Row` is the caller's word for the columns it selects: the one place where rows get their type. */
export const query = <Row>(db: DatabaseSync, sql: string) => db.prepare(sql) as unknown as Query<Row>
export const command = (db: DatabaseSync, sql: string) => db.prepare(sql) as unknown as Command

/** Text as it can be read back: `node:sqlite` reads one only up to its first NUL. */
export const readable = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text)
