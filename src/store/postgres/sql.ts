import type { SyncPostgres } from '../../postgres/sync.ts'
import type { Engine, Parameter, Sql, SqlStatement } from '../engine/sql.ts'
import { withoutNul } from '../engine/statement.ts'
import { type Outgoing, type Statement, statementOf } from './outgoing.ts'

/** How statements without an answer reach the server. */
export interface Sending {
  readonly outgoing: Outgoing
  /** True: each at once, so that an error is thrown where it belongs. */
  careful: boolean
}

/** The store's statements over a connection to PostgreSQL. */
export function openSql(connection: SyncPostgres, sending: Sending, engine: Engine): Sql {
  let isOpen = true
  return {
    prepare: (sql) => prepare(connection, sending, statementOf(numbered(sql))),
    exec: (sql) => connection.exec(sql),
    close() {
      isOpen = false
      connection.close()
    },
    get isOpen() {
      return isOpen
    },
    get isTransaction() {
      return connection.inTransaction
    },
    engine,
  }
}

function prepare(connection: SyncPostgres, sending: Sending, statement: Statement): SqlStatement {
  const { sql } = statement
  let asArrays = false
  let names: readonly string[] = []

  function ask(parameters: readonly Parameter[]) {
    sending.outgoing.drain()
    return connection.query(sql, parameters.map(storable))
  }

  function read(parameters: readonly Parameter[]): readonly unknown[] {
    const result = ask(parameters)
    names = result.names
    return asArrays ? result.rows : result.rows.map(asObject)
  }

  const asObject = (row: readonly unknown[]) => Object.fromEntries(names.map((name, at) => [name, row[at]]))

  return {
    setReturnArrays(enabled) {
      asArrays = enabled
    },
    columns: () => names.map((name) => ({ name })),
    get: (...parameters) => read(parameters)[0],
    all: (...parameters) => read(parameters),
    run: (...parameters) => ask(parameters),
    post(...parameters) {
      if (sending.careful) ask(parameters)
      else sending.outgoing.add(statement, parameters.map(storable))
    },
  }
}

const storable = (value: Parameter) => (typeof value === 'string' ? withoutNul(value) : value)

/** Gives parameters the names of PostgreSQL: a bare `?` has the number after the highest one so far. */
function numbered(sql: string): string {
  let highest = 0
  return sql.replace(/'(?:[^']|'')*'|\?(\d*)/g, (text, given: string | undefined) => {
    if (given === undefined) return text
    const number = given === '' ? highest + 1 : Number(given)
    highest = Math.max(highest, number)
    return `$${number}`
  })
}
