import { CodedError } from '../../domain/errors.ts'
import type { SyncPostgres } from '../../postgres/sync.ts'

/**
 * A synchronous connection to the database. A lost one is made anew by the next query. Throws `storage_down` and
 * `storage_full`, whose cause may have a `sqlstate`, and `sent: false` when the statement certainly never left; errors
 * of data with their `sqlstate`.
 */
export type Connection = Pick<SyncPostgres, 'query' | 'within'>

/**
 * Effect of a statement that failed, in a transaction of its own:
 *
 * - none: it had none and will have none
 * - again: it had none; another try may succeed
 * - unknown: it may have been committed, or may still be
 */
type Effect = 'none' | 'again' | 'unknown'

/** Serialization and deadlock, lock not available, cancelled by a timeout, too many connections. */
const TRY_AGAIN = /^(40...|55P03|57014|53300)$/
/** Warnings of the commit, connection errors, shutdown, crash: the connection ended before the answer. */
const LOST = /^(01...|08...|57P0[1-5])$/

export function effectOf(error: unknown): Effect {
  const { sqlstate, sent } = detailsOf(error)
  if (sqlstate !== undefined && TRY_AGAIN.test(sqlstate)) return 'again'
  if (sent === false || (sqlstate !== undefined && !LOST.test(sqlstate))) return 'none'
  return error instanceof CodedError ? 'unknown' : 'none'
}

const UNIQUE_VIOLATION = '23505'

export const isUniqueViolation = (error: unknown): boolean => detailsOf(error).sqlstate === UNIQUE_VIOLATION

function detailsOf(error: unknown): { readonly sqlstate?: string; readonly sent?: boolean } {
  const from = error instanceof CodedError ? error.cause : error
  return typeof from === 'object' && from !== null ? from : {}
}
