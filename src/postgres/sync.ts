import { Conversation } from './conversation.ts'
import { CONNECTION_FAILURE, isTransient, PostgresError, toStorageError } from './errors.ts'
import { block, type Committing, outcomeOf, untilDeadline } from './outcome.ts'
import type { PostgresSettings } from './settings.ts'
import { control } from './statements.ts'
import type { Result } from './wire/reply.ts'
import type { Value } from './wire/types.ts'

/**
 * A connection to PostgreSQL for code that cannot wait in any other way than by blocking its thread. A lost connection is
 * made anew at the next use outside a transaction. Nothing blocks for longer than `commitTimeoutMs` and half of it for a new
 * connection; a commit with a lost connection for twice `commitTimeoutMs`.
 *
 * Values of rows: integers as numbers (RangeError beyond 2^53), booleans as 0 and 1, bytea as Uint8Array, all other types as text.
 * Parameters have the type that PostgreSQL infers, but an int8, float8, text or bytea (after the kind of the first values)
 * where it would infer a narrower one, or none.
 *
 * Throws `storage_full`, `storage_down` (`cause`: a `PostgresError`, whose `sent` is false when nothing reached the server),
 * `ServerChanged` once after a failover, and errors of statements and data as `PostgresError`.
 */
export interface SyncPostgres {
  /** True from `begin` to `commit` or `rollback`, whatever became of the connection. */
  readonly inTransaction: boolean
  /** One round trip, together with all that was queued. */
  query(sql: string, values?: readonly Value[]): Result
  /** Runs a statement with the next request, which throws its error: a query, flush, commit, or a text that is new. */
  queue(sql: string, values?: readonly Value[], answered?: (result: Result) => void): void
  flush(): void
  /** Runs several statements without parameters. */
  exec(sql: string): void
  /** Begins a transaction with the next query, flush or commit. */
  begin(): void
  /**
   * Commits, and makes the outcome certain when the connection is lost meanwhile: asks a new one whether the transaction
   * took effect. `verify` then reads what the transaction wrote, because a crashed server may reuse its number; give it
   * wherever a wrong yes would lose data. Throws `OutcomeUnknown`; after any other error the transaction had no effect.
   */
  commit(verify?: () => boolean): void
  /** Ends a transaction without effect; throws nothing. */
  rollback(): void
  /**
   * Returns whether a transaction that failed with this error had no effect and may succeed at once (a deadlock, a lock, a
   * lost connection), after a short random pause; no more when `commitTimeoutMs` have passed since `startedAt` (of
   * `performance.now`). After `rollback`.
   */
  mayRepeat(error: unknown, startedAt: number): boolean
  /** Ends `work` after so much time: its statements and new connections wait no longer than that together. Nests. */
  within<T>(timeoutMs: number, work: () => T): T
  /** Gives each statement of `work` so much time. Outside a transaction. */
  patient<T>(timeoutMs: number, work: () => T): T
  close(): void
}

interface SyncOptions {
  /** Named in `pg_stat_activity`. */
  readonly applicationName: string
  /** Called when `mayRepeat` says yes. */
  repeated?(error: unknown): void
}

/** Between two attempts of a transaction. */
const MIN_PAUSE_MS = 10
const JITTER_MS = 90

const BEGIN = control('BEGIN')
const COMMIT = control('COMMIT')
const ROLLBACK = control('ROLLBACK')
const WHO = 'SELECT pg_current_xact_id()::text, pg_backend_pid()'
/** Commits a record of its own: standbys have all that was committed before when they have it. */
const BARRIER = "SELECT pg_logical_emit_message(true, 'tocsin', '')"

/** Connects at the first use. Throws config_invalid for a bad URL. */
export function openSyncPostgres(settings: PostgresSettings, { applicationName, repeated }: SyncOptions): SyncPostgres {
  let inTransaction = false
  /** Of the open transaction, once its beginning was answered. */
  let committing: Committing | undefined
  const talk = new Conversation({ settings, applicationName, inTransaction: () => inTransaction })

  function ask(sql: string, values: readonly Value[] = []): Result {
    let found: Result | undefined
    talk.add(sql, values, (result) => {
      found = result
    })
    send()
    return found as unknown as Result
  }

  /** A transaction of its own that did not wait for its standby counts as one with an unknown outcome. */
  function send(): void {
    const { notWaited } = talk.send()
    if (notWaited && !inTransaction) throw new PostgresError(CONNECTION_FAILURE, NOT_WAITED)
  }

  function start(): void {
    talk.addControl(BEGIN)
    talk.addLocalSettings()
    talk.add(WHO, [], ({ rows }) => {
      const [xid, pid] = rows[0] as [string, number]
      committing = { xid, pid }
    })
  }

  function rollback(): void {
    talk.drop()
    inTransaction = false
    committing = undefined
    if (!talk.isConnected || talk.status === 'idle') return
    try {
      talk.addControl(ROLLBACK)
      talk.send()
    } catch {}
  }

  function commit(verify: (() => boolean) | undefined): void {
    const start = performance.now()
    if (!inTransaction) throw new Error('there is no transaction to commit')
    // The number has to be known before the COMMIT is sent.
    if (committing === undefined) send()
    if (talk.status === 'failed')
      throw new PostgresError(FAILED_TRANSACTION, 'a statement of the transaction has failed')
    const own = committing as unknown as Committing
    talk.connect()
    let failure: unknown
    let isKnown = false
    try {
      talk.addControl(COMMIT)
      const { notWaited } = talk.send()
      if (!notWaited) isKnown = true
      else failure = new PostgresError(CONNECTION_FAILURE, NOT_WAITED)
    } catch (error) {
      failure = error
      // The connection stands: the server refused the commit, or a statement before it.
      if (talk.isConnected) throw error
    }
    inTransaction = false
    committing = undefined
    if (isKnown) return
    const awaitStandbys = () => void ask(BARRIER)
    const deadline = start + 2 * settings.commitTimeoutMs
    talk.deadline = deadline
    try {
      if (talk.isConnected) return untilDeadline(deadline, awaitStandbys)
      if (outcomeOf(own, { ask, awaitStandbys, verify, deadline }) === 'aborted') throw failure
    } finally {
      talk.deadline = Number.POSITIVE_INFINITY
    }
  }

  /** Errors leave this module with the codes of the service. */
  function coded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toStorageError(error)
    }
  }

  return {
    get inTransaction() {
      return inTransaction
    },
    query: (sql, values) => coded(() => ask(sql, values)),
    queue: (sql, values = [], answered) => coded(() => talk.add(sql, values, answered)),
    flush: () => coded(() => talk.isPending && send()),
    exec(sql) {
      coded(() => {
        const { status, notWaited } = talk.exec(sql)
        if (notWaited && status === 'idle') throw new PostgresError(CONNECTION_FAILURE, NOT_WAITED)
      })
    },
    begin() {
      if (inTransaction) throw new Error('a transaction cannot start inside another one')
      coded(() => {
        talk.connect()
        // What was queued outside stays outside.
        if (talk.isPending) send()
        inTransaction = true
        try {
          start()
        } catch (error) {
          rollback()
          throw error
        }
      })
    },
    commit: (verify) => coded(() => commit(verify)),
    rollback,
    mayRepeat(error, startedAt) {
      if (inTransaction || !isTransient(error)) return false
      const pauseMs = MIN_PAUSE_MS + Math.random() * JITTER_MS
      if (performance.now() + pauseMs > startedAt + settings.commitTimeoutMs) return false
      repeated?.(error)
      block(pauseMs)
      return true
    },
    within(timeoutMs, work) {
      const { deadline } = talk
      talk.deadline = Math.min(deadline, performance.now() + timeoutMs)
      try {
        return work()
      } finally {
        talk.deadline = deadline
      }
    },
    patient: (timeoutMs, work) => coded(() => talk.patient(timeoutMs, work)),
    close: () => talk.close(),
  }
}

const FAILED_TRANSACTION = '25P02'
const NOT_WAITED = 'the server did not wait for its synchronous standby'
