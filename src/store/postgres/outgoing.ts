import type { SyncPostgres } from '../../postgres/sync.ts'
import type { Parameter } from '../engine/sql.ts'

/** A statement of the store, translated. */
export interface Statement {
  readonly sql: string
  /** Names that stand behind FROM, JOIN, INTO and UPDATE. */
  readonly tables: readonly string[]
  /** Only rows of parameters and constants are inserted: several runs may be one statement. */
  readonly insert: Insert | undefined
}

interface Insert {
  /** All before the rows. */
  readonly head: string
  readonly rows: string
  readonly parameters: number
  /** Statements for several runs, by their number. */
  readonly joined: Map<number, string>
}

/** Runs in one statement; few sizes, because each text is prepared by itself. */
const SIZES = [64, 16, 4, 1] as const
/** PostgreSQL takes 65,535 parameters. */
const MAX_PARAMETERS = 32_000

const TABLES = /\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)/g
/** A parameter, or a text, whose signs are none. */
const PARAMETER = /'(?:[^']|'')*'|\$(\d+)/g
/** Rows without calls, subqueries and clauses behind them. */
const INSERT =
  /^(\s*INSERT INTO \w+ \([\w\s,]+\)\s*VALUES\s*)(\((?:[^()']|'[^']*')*\)(?:, \((?:[^()']|'[^']*')*\))*)\s*$/

export function statementOf(sql: string): Statement {
  const [, head, rows] = INSERT.exec(sql) ?? []
  const numbers = Array.from(sql.matchAll(PARAMETER), ([, number]) => Number(number ?? 0))
  return {
    sql,
    tables: [...new Set(Array.from(sql.matchAll(TABLES), ([, table]) => table as string))],
    insert:
      head === undefined || rows === undefined
        ? undefined
        : { head, rows, parameters: Math.max(0, ...numbers), joined: new Map() },
  }
}

interface Entry {
  readonly statement: Statement
  readonly runs: (readonly Parameter[])[]
}

/**
 * Statements without an answer, on their way to the connection. Runs of an insert join an earlier run when nothing between
 * them touches the table, so a turn inserts its rows in few statements.
 */
export class Outgoing {
  readonly #connection: SyncPostgres
  #entries: Entry[] = []
  readonly #lastOf = new Map<Statement, number>()
  readonly #lastTouching = new Map<string, number>()

  constructor(connection: SyncPostgres) {
    this.#connection = connection
  }

  add(statement: Statement, values: readonly Parameter[]): void {
    const at = statement.insert && this.#lastOf.get(statement)
    if (at !== undefined && statement.tables.every((table) => this.#lastTouching.get(table) === at)) {
      this.#entries[at]?.runs.push(values)
      return
    }
    const next = this.#entries.push({ statement, runs: [values] }) - 1
    for (const table of statement.tables) this.#lastTouching.set(table, next)
    if (statement.insert) this.#lastOf.set(statement, next)
  }

  /** Hands all over to the connection, which sends it with the next statement that has an answer. */
  drain(): void {
    if (this.#entries.length === 0) return
    const entries = this.#entries
    this.drop()
    for (const { statement, runs } of entries)
      for (let at = 0; at < runs.length; ) {
        const size = sizeFor(statement, runs.length - at)
        this.#connection.queue(textFor(statement, size), size === 1 ? runs[at] : runs.slice(at, at + size).flat())
        at += size
      }
  }

  /** Forgets what was not handed over, after a transaction that failed. */
  drop(): void {
    this.#entries = []
    this.#lastOf.clear()
    this.#lastTouching.clear()
  }
}

function sizeFor({ insert }: Statement, left: number): number {
  const parameters = insert?.parameters ?? 0
  return SIZES.find((size) => size <= left && size * parameters <= MAX_PARAMETERS) ?? 1
}

function textFor({ sql, insert }: Statement, size: number): string {
  if (insert === undefined || size === 1) return sql
  const known = insert.joined.get(size)
  if (known !== undefined) return known
  const rows = Array.from({ length: size }, (_, run) =>
    insert.rows.replace(PARAMETER, (text, number) => (number ? `$${Number(number) + run * insert.parameters}` : text)),
  )
  const text = `${insert.head}${rows.join(', ')}`
  insert.joined.set(size, text)
  return text
}
