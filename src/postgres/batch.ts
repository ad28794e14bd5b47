import type { PostgresError } from './errors.ts'
import type { Description, Variant } from './statements.ts'
import type { ReplyHandler, Result } from './wire/reply.ts'
import type { RequestWriter } from './wire/request.ts'
import type { Decoder, Value } from './wire/types.ts'

/** A statement of a request, and where its answer goes. */
interface Entry {
  readonly sql: string
  readonly variant: Variant | undefined
  /** Absent: rows are skipped. */
  readonly answered: ((result: Result) => void) | undefined
}

/** SQLSTATEs of warnings that a commit did not wait for its synchronous standby. */
const NOT_WAITED = new Set(['01000', '57P01'])

/** Statements that travel in one request, and the reader of its reply. */
export class Batch implements ReplyHandler {
  readonly #entries: Entry[] = []
  /** Statements that the request prepares, in their order. */
  readonly #parses: (Variant | undefined)[] = []
  readonly #writer: RequestWriter
  #at = 0
  #parsed = 0
  #rows: unknown[][] = []
  #types: readonly number[] = []
  #columns: Description['columns'] = []
  /** The first error; what came after it was not done. */
  error: PostgresError | undefined
  /** A commit took effect, and perhaps not on the standby. */
  notWaited = false

  constructor(writer: RequestWriter) {
    this.#writer = writer
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** `connection`: its number, which remembers names. */
  execute(variant: Variant, values: readonly Value[], connection: number, answered?: Entry['answered']): void {
    if (variant.preparedOn !== connection) {
      this.#writer.parse(variant.name, variant.sql, variant.parts.types)
      this.#parses.push(variant)
      if (variant.name !== '') variant.preparedOn = connection
    }
    this.#writer.execute(variant.parts, values)
    this.#entries.push({ sql: variant.sql, variant, answered })
  }

  describe(sql: string, types: readonly number[]): void {
    this.#writer.parse('', sql, types)
    this.#writer.describe('')
    this.#parses.push(undefined)
    this.#entries.push({ sql, variant: undefined, answered: undefined })
  }

  /** Forgets what the server did not prepare, when a request was not sent or not answered to its end. */
  abandon(): void {
    for (const variant of this.#parses.slice(this.#parsed)) if (variant) variant.preparedOn = 0
  }

  get description(): Description {
    return { types: this.#types, columns: this.#columns }
  }

  parsed(): void {
    this.#parsed++
  }

  parameters(types: readonly number[]): void {
    this.#types = types
  }

  columns(columns: Description['columns']): void {
    this.#columns = columns
    this.#at++
  }

  decoders(): readonly Decoder[] | undefined {
    const entry = this.#entries[this.#at]
    return entry?.answered && entry.variant?.decoders
  }

  row(values: unknown[]): void {
    this.#rows.push(values)
  }

  complete(tag: string): void {
    const entry = this.#entries[this.#at++]
    if (!entry?.answered) return
    const rows = this.#rows
    if (rows.length > 0) this.#rows = []
    entry.answered({ names: entry.variant?.names ?? [], rows, changes: changesOf(tag) })
  }

  failed(error: PostgresError): void {
    const sql = this.#entries[this.#at]?.sql
    if (sql !== undefined) error.statement = sql
    this.error ??= error
  }

  warning(sqlstate: string): void {
    if (NOT_WAITED.has(sqlstate)) this.notWaited = true
  }
}

/** `INSERT 0 3`, `UPDATE 3`, `DELETE 3`, `MERGE 3`; reading statements have a number too. */
function changesOf(tag: string): number {
  return /^(INSERT|UPDATE|DELETE|MERGE) /.test(tag) ? Number(tag.slice(tag.lastIndexOf(' ') + 1)) : 0
}
