import { CodedError, type ErrorCode } from '../domain/errors.ts'

/** Code of a lost or impossible connection (SQLSTATE class 08). */
export const CONNECTION_FAILURE = '08006'

/** An error of the server, or of the way to it. Its message may hold values of the statement. */
export class PostgresError extends Error {
  /** Five characters, see https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly sqlstate: string
  /** False: the statement never left, because no connection could be made. */
  readonly sent: boolean
  /** The text that failed, which may be one of an earlier `queue`. */
  statement?: string
  constructor(sqlstate: string, message: string, { sent = true, ...options }: ErrorOptions & { sent?: boolean } = {}) {
    super(message, options)
    this.name = 'PostgresError'
    this.sqlstate = sqlstate
    this.sent = sent
  }
}

/**
 * The connection was lost during a commit, and whether that took effect could not be learned in time: memory of the
 * caller may differ from the database.
 */
export class OutcomeUnknown extends CodedError {
  constructor(cause: unknown) {
    super('storage_down', 'the outcome of a commit is unknown: the connection to PostgreSQL was lost', { cause })
    this.name = 'OutcomeUnknown'
  }
}

/** Another server answers than before: what was committed just before the change may be lost. */
export class ServerChanged extends CodedError {
  constructor(before: string, after: string) {
    super(
      'storage_down',
      `PostgreSQL failed over (${before} -> ${after}): the last commits may be lost unless its standby is synchronous`,
      { cause: new PostgresError(CONNECTION_FAILURE, 'the server changed', { sent: false }) },
    )
    this.name = 'ServerChanged'
  }
}

/** By the beginning of the SQLSTATE; the longest that fits counts. All others mean a bug or bad data. */
const CODES: { readonly [prefix: string]: ErrorCode } = {
  '08': 'storage_down', // connection
  '25006': 'storage_down', // read-only: a former primary
  '25P03': 'storage_down', // idle for too long in a transaction
  '25P04': 'storage_down', // transaction_timeout
  '28': 'storage_down', // wrong password, no entry in pg_hba.conf
  '3D000': 'storage_down', // no such database
  '40': 'storage_down', // deadlock, serialization
  '42501': 'storage_down', // the role lacks a right
  '53': 'storage_down', // memory, connections
  '53100': 'storage_full',
  '55P03': 'storage_down', // lock_timeout
  '57': 'storage_down', // shutdown, crash, canceled by a timeout
  '58': 'storage_down', // failing disk
  XX001: 'storage_down', // corrupt data
  XX002: 'storage_down', // corrupt index
}

const TOO_MANY_CONNECTIONS = '53300'

/** Nothing was committed, and a repetition may succeed at once. */
const RETRYABLE = new Set([
  '40001',
  '40P01',
  '55P03',
  TOO_MANY_CONNECTIONS,
  '25P03',
  '57P01',
  '57P02',
  '57P03',
  CONNECTION_FAILURE,
])

/** Returns `storage_full` or `storage_down` for a failure of the server; any other error as it is. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error
  const { sqlstate, message } = error
  const code = CODES[sqlstate] ?? CODES[sqlstate.slice(0, 2)]
  return code === undefined ? error : new CodedError(code, `PostgreSQL failed: ${message}`, { cause: error })
}

/** True when a transaction that failed with this error may be repeated at once: it had no effect. */
export function isRetryable(error: unknown): boolean {
  const cause = error instanceof CodedError ? error.cause : error
  return (
    cause instanceof PostgresError &&
    RETRYABLE.has(cause.sqlstate) &&
    !(error instanceof OutcomeUnknown || error instanceof ServerChanged)
  )
}

/** By SQLSTATE; all others that are repeated are lost connections. */
const REPEAT_CAUSES = {
  '40001': 'serialization',
  '40P01': 'deadlock',
  '55P03': 'lock_timeout',
  '57014': 'statement_timeout',
  [TOO_MANY_CONNECTIONS]: 'too_many_connections',
} as const

/** Returns why a transaction that failed with this error is repeated; for counting. */
export function repeatCause(error: unknown) {
  const cause = error instanceof CodedError ? error.cause : error
  const sqlstate = cause instanceof PostgresError ? cause.sqlstate : ''
  return REPEAT_CAUSES[sqlstate as keyof typeof REPEAT_CAUSES] ?? 'connection_lost'
}

/** As `isRetryable`, but a server that cannot be reached is not expected to be back at once. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof CodedError ? error.cause : error
  return isRetryable(error) && cause instanceof PostgresError && (cause.sent || cause.sqlstate === TOO_MANY_CONNECTIONS)
}
