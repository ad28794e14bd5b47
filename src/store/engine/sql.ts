import { CodedError } from '../../domain/errors.ts'

export type Parameter = null | number | string | Uint8Array

/** A prepared statement. Rows are arrays of values after `setReturnArrays(true)`. */
export interface SqlStatement {
  setReturnArrays(enabled: boolean): void
  /** Columns of the rows; asked for after the first row was read. */
  columns(): readonly { readonly name: string | null }[]
  get(...parameters: Parameter[]): unknown
  all(...parameters: Parameter[]): unknown
  run(...parameters: Parameter[]): { readonly changes: number | bigint }
  /**
   * As `run`, without an answer: the statement may reach the database together with a later one, and its error is thrown
   * there, at the latest at the commit. Absent: as `run`.
   */
  post?(...parameters: Parameter[]): void
}

/** A synchronous connection of one writer: `DatabaseSync` of `node:sqlite`, or one to PostgreSQL. */
export interface Sql {
  prepare(sql: string): SqlStatement
  exec(sql: string): void
  /** Ends an open transaction without effect. */
  close(): void
  readonly isOpen: boolean
  readonly isTransaction: boolean
  /** Absent: SQLite. */
  readonly engine?: Engine
}

/** The parts in which the engines differ beyond the text of a statement. */
export interface Engine {
  /** A statement costs a round trip: what a turn reads is read together where that is possible. */
  readonly isRemote: boolean
  /** Runs one transaction; see `Transaction`. */
  readonly transact: Transact
  /** Makes all that is committed durable; false when the engine refuses, and nothing is lost. */
  checkpoint(): boolean
  /**
   * Returns the number of this life of the process: 1 more than that of the last one. On an engine that another process
   * may open, every earlier life is fenced off when this returns.
   */
  beginLife(): number
  /** Bytes on disk of the database, and of its log that is not moved into it yet. */
  sizes(): { readonly databaseBytes: number; readonly walBytes: number }
  readonly search: SearchIndex
}

interface TransactOptions {
  /** True: durable when the call returns, together with all that was committed before. */
  readonly synced: boolean
  /** Restores memory when the transaction failed. */
  undo(): void
}

/**
 * Runs `work` in one transaction; on an engine that sends statements late, perhaps twice. Throws `storage_full`,
 * `storage_down`, `Fenced`, and what `work` throws.
 */
export type Transact = <T>(work: () => T, options: TransactOptions) => T

/** The full-text index: words of incidents by number. Changes inside a transaction. */
export interface SearchIndex {
  /** `words`: separated by spaces, those of facets before all others. */
  add(seq: number, words: string): void
  remove(first: number, last: number): void
  /** Keeps the index compact after `characters` of text were added. */
  tidy(characters: number): void
  /** Returns numbers below `before` that match, the highest first. `match`: of `matchOf`. */
  find(match: string, before: number, limit: number): readonly number[]
  /** Returns the number of matches, counted up to `limit`. */
  count(match: string, limit: number): number
  /** Returns the engine's expression for adjacent words; all terms must match. */
  matchOf(terms: readonly SearchTerm[]): string
}

/** Words that must be adjacent. */
export interface SearchTerm {
  readonly words: readonly string[]
  /** True: the last word is a prefix. */
  readonly isPrefix: boolean
}

/**
 * Another process has opened the database since, or the server has lost commits: memory is void, and nothing more may be
 * written. The store has to be opened anew, by the process that leads.
 */
export class Fenced extends CodedError {
  constructor() {
    super('storage_down', 'another replica leads now, or PostgreSQL has lost commits: this store writes nothing more')
  }
}
