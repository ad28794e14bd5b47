import { randomInt } from 'node:crypto'
import { CodedError } from '../../domain/errors.ts'
import type { Journal, StoredFrame } from '../contract.ts'
import { createIdPrefixes } from '../id-prefix.ts'
import { type Append, type Appended, prepareAppend } from './append.ts'
import { type Connection, effectOf } from './connection.ts'
import { findKeys } from './keys.ts'
import { findFrame, lostText } from './reader.ts'
import { numberFrames } from './rows.ts'

interface TableJournalOptions {
  readonly connection: Connection
  /** Bound of every call, retries included. */
  readonly commitTimeoutMs: number
  /** Time in which a database that failed is not asked again: what queued up meanwhile does not wait for it once more. */
  readonly refuseMs: number
  /** Epoch milliseconds, for the ids; the database has the time of commit. */
  now(): number
  /** Monotonic milliseconds. */
  elapsed(): number
  /** Blocks the thread. */
  sleep(ms: number): void
  /** Called when an append is tried again: its statement certainly had no effect. */
  repeated(error: unknown): void
  /** Called when the database knows fewer incidents than were committed. */
  damaged(what: string): void
}

/** Head of the journal as the database has it. */
interface Head {
  readonly next: number
  readonly keyed: number
}

const RETRY_MS = 25
/** Share of the commit timeout that an append may wait for its answer. In the rest it can be made certain. */
const ANSWER_SHARE = 0.9

const READ_HEAD = 'SELECT next, keyed, barrier FROM journal_head'
const RAISE_BARRIER = 'UPDATE journal_head SET barrier = barrier + 1 RETURNING next, keyed, barrier'
const FIND_APPEND = 'SELECT first, committed_at FROM journal WHERE last >= $1 AND append = $2 ORDER BY last LIMIT 1'
const CHECK = 'UPDATE journal_head SET barrier = barrier'
/** Writes a row that needs new pages, and takes it back. Its bytes cannot be compressed: 64 KiB of one value would fit anywhere. */
const CHECK_ROOM = `DO $$ BEGIN
  INSERT INTO journal (last, first, committed_at, append, frames)
  SELECT 0, 0, 0, 0, string_agg(sha512(int4send(n)), ''::bytea) FROM generate_series(1, 1024) AS n;
  RAISE EXCEPTION USING ERRCODE = 'TC002';
EXCEPTION WHEN SQLSTATE 'TC002' THEN NULL;
END $$`

/**
 * The journal of all replicas: the table `journal`. `append` is one statement, which is its own transaction. When its
 * connection is lost, the barrier is raised: the lost statement then either was committed, and its rows are found, or
 * never will be. So frames are never stored twice. An append that throws `storage_down` at the end of the commit timeout
 * may have been stored, or be stored until the next append raises the barrier.
 */
export class TableJournal implements Journal {
  readonly #deps: TableJournalOptions
  readonly #idPrefix = createIdPrefixes()
  #next = 1
  #keyed = 0
  /** Undefined: unknown, and the outcome of an earlier append may be unknown too. */
  #barrier: number | undefined
  /** Appends are named from a random number on. */
  #lastName = randomInt(2 ** 47)
  #size: Journal['size'] = { bytes: 0, usedBytes: 0, segments: 0 }
  #released = 0
  /** The last append was refused for lack of room: a check that writes no new pages would tell nothing. */
  #lacksRoom = false
  #refusing: { readonly until: number; readonly error: CodedError } | undefined

  constructor(deps: TableJournalOptions) {
    this.#deps = deps
  }

  get nextNumber(): number {
    return this.#next
  }
  get keyed(): number {
    return this.#keyed
  }
  get size(): Journal['size'] {
    return this.#size
  }
  /** Number up to which the rows may be deleted. */
  get released(): number {
    return this.#released
  }

  /** Reads how far the journal is. Throws `storage_down`. */
  open(): void {
    this.#readHead(READ_HEAD)
  }

  /**
   * Takes what another connection has read.
   * @param before `nextNumber` when it began to read: the database had that much, unless it has lost some
   */
  observe({ next, keyed }: Head, before: number): void {
    if (next < before) return this.#takeHead({ next, keyed })
    if (next <= this.#next) return
    this.#keyed = Math.max(this.#keyed, keyed)
    this.#next = next
  }

  observeSize(size: Journal['size']): void {
    this.#size = size
  }

  append(frames: readonly Uint8Array<ArrayBuffer>[]): void {
    const { now } = this.#deps
    const append = prepareAppend(frames, { name: ++this.#lastName, idPrefix: this.#idPrefix(now()) })
    const appended = this.#inTime(() => this.#noting(() => this.#untilCertain(append)))
    this.#takeHead({ next: appended.first, keyed: appended.keyed })
    this.#next = appended.first + append.incidents
    numberFrames(frames, appended)
  }

  /** Runs a write, and notes whether it lacked room. */
  #noting<T>(write: () => T): T {
    try {
      const written = write()
      this.#lacksRoom = false
      return written
    } catch (error) {
      this.#lacksRoom ||= error instanceof CodedError && error.code === 'storage_full'
      throw error
    }
  }

  /** Ends within the commit timeout. After a failure throws it again for a while, without asking. */
  #inTime<T>(work: () => T): T {
    const { connection, commitTimeoutMs, refuseMs, elapsed } = this.#deps
    if (this.#refusing !== undefined && elapsed() < this.#refusing.until) throw this.#refusing.error
    try {
      return connection.within(commitTimeoutMs, work)
    } catch (error) {
      const coded = effectOf(error) === 'again' ? busy(error) : error
      if (coded instanceof CodedError && coded.code === 'storage_down')
        this.#refusing = { until: elapsed() + refuseMs, error: coded }
      throw coded
    }
  }

  /** A database that cannot be reached at all is not waited for. */
  #untilCertain(append: Append): Appended {
    let since = this.#next
    const { connection, commitTimeoutMs } = this.#deps
    const run = (barrier: number) =>
      connection.within(ANSWER_SHARE * commitTimeoutMs, () => append.run(connection, barrier))
    for (const end = this.#deadline(); ; this.#sleepUntil(end)) {
      try {
        if (this.#barrier === undefined) this.#readHead(RAISE_BARRIER)
        // A standby that was promoted may have lost rows: the head is lower then.
        since = this.#next
        const appended = run(this.#barrier as number)
        if (appended !== undefined) return appended
        // Another replica has raised the barrier.
        this.#readHead(READ_HEAD)
      } catch (error) {
        const effect = effectOf(error)
        if (effect === 'none') throw error
        const found = effect === 'unknown' ? this.#found(append, { since, end }) : undefined
        if (found !== undefined) return found
        if (this.#isOver(end)) throw busy(error)
        this.#deps.repeated(error)
      }
    }
  }

  /** Makes sure that the lost statement has no effect from now on, and looks whether it had one. */
  #found(append: Append, { since, end }: { readonly since: number; readonly end: number }): Appended | undefined {
    this.#barrier = undefined
    for (;;) {
      try {
        this.#readHead(RAISE_BARRIER)
        const [row] = this.#deps.connection.query(FIND_APPEND, [since, append.name]).rows
        if (row === undefined) return undefined
        const [first, committedAt] = row as [number, number]
        return { first, committedAt, keyed: this.#keyed }
      } catch (error) {
        this.#barrier = undefined
        if (!(error instanceof CodedError) && effectOf(error) !== 'again') throw error
        if (this.#isOver(end)) throw busy(error)
        this.#sleepUntil(end)
      }
    }
  }

  #deadline(): number {
    return this.#deps.elapsed() + this.#deps.commitTimeoutMs
  }
  #isOver(end: number): boolean {
    return this.#deps.elapsed() >= end
  }
  #sleepUntil(end: number): void {
    this.#deps.sleep(Math.max(0, Math.min(RETRY_MS, end - this.#deps.elapsed())))
  }

  #readHead(sql: string): void {
    const [row] = this.#deps.connection.query(sql).rows
    if (row === undefined)
      throw new CodedError(
        'storage_down',
        'the table journal_head is empty: restore the database, or start with a new one',
      )
    const [next, keyed, barrier] = row as [number, number, number]
    this.#takeHead({ next, keyed })
    this.#barrier = barrier
  }

  #takeHead({ next, keyed }: Head): void {
    if (next < this.#next) this.#deps.damaged(lostText(next, this.#next - 1))
    this.#next = next
    this.#keyed = keyed
  }

  release(number: number): void {
    this.#released = Math.max(this.#released, number)
  }

  find(number: number): StoredFrame | undefined {
    return this.#inTime(() => findFrame(this.#deps.connection, number))
  }

  /** Returns ids of first incidents by key, of keys that any replica has used within 24 h. Throws like `append`. */
  findKeys(keys: readonly string[]): ReadonlyMap<string, string> {
    return this.#inTime(() => findKeys(this.#deps.connection, keys))
  }

  check(): void {
    this.#inTime(() => this.#noting(() => this.#deps.connection.query(this.#lacksRoom ? CHECK_ROOM : CHECK)))
  }

  close(): void {}
}

const busy = (error: unknown) =>
  error instanceof CodedError
    ? error
    : new CodedError('storage_down', 'the database is too busy: it cancelled a statement of the journal', {
        cause: error,
      })
