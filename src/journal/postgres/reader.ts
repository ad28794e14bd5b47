import { CodedError } from '../../domain/errors.ts'
import type { JournalReader, StoredFrame } from '../contract.ts'
import type { Connection } from './connection.ts'
import { framesOf, type StoredRow } from './rows.ts'

/** Bytes of one `read`, as far as they are in whole rows, and its rows at most. */
const MAX_BYTES = 1024 * 1024
const MAX_ROWS = 256

const COLUMNS = 'first, last, committed_at, frames'
/** The length of a value that is stored apart is known without reading it. */
const SOME = `
SELECT ${COLUMNS} FROM (
  SELECT ${COLUMNS}, sum(octet_length(frames)) OVER (ORDER BY last) - octet_length(frames) AS before
  FROM (SELECT ${COLUMNS} FROM journal WHERE last >= $1 AND last <= $2 ORDER BY last LIMIT ${MAX_ROWS}) AS next
) AS next WHERE before < ${MAX_BYTES} ORDER BY last`
const HOLDING = `SELECT ${COLUMNS} FROM journal WHERE last >= $1 ORDER BY last LIMIT 1`

/**
 * Returns a reader of the table, for the frames of all replicas. `read` throws `storage_down` when the database has lost
 * incidents, until `committed` is the number of its last one.
 */
export function openTableReader(connection: Connection): JournalReader {
  return {
    read(number, committed) {
      if (number > committed) return []
      const rows = rowsOf(connection, SOME, [number, committed])
      const found: StoredFrame[] = []
      for (const row of rows) {
        const next = found.at(-1)?.last ?? number - 1
        if (row.first > next + 1) found.push(missing(next + 1, row.first - 1))
        found.push(...framesOf(row).filter(({ last }) => last >= number))
      }
      if (found.length > 0) return found
      const last = lastCommitted(connection)
      // Numbers above it are given again, so nothing may be taken for missing there.
      if (last < committed) throw new CodedError('storage_down', lostText(last + 1, committed))
      return [missing(number, committed)]
    },
    close() {},
  }
}

/** Returns the frame that holds the incident; undefined when it is not in the table. */
export function findFrame(connection: Connection, number: number): StoredFrame | undefined {
  const [row] = rowsOf(connection, HOLDING, [number])
  if (row === undefined || row.first > number) return undefined
  return framesOf(row).find(({ first, last }) => first <= number && number <= last)
}

/** Returns the number of the last incident that any replica has committed. */
export function lastCommitted(connection: Connection): number {
  const [row] = connection.query('SELECT next - 1 FROM journal_head').rows
  return (row?.[0] as number | undefined) ?? 0
}

/** Returns how far the leader is, as it wrote it last. */
export function leaderProgress(connection: Connection): { readonly applied: number; readonly backlog: number } {
  const [row] = connection.query('SELECT applied, backlog FROM journal_progress').rows
  const [applied = 0, backlog = 0] = (row ?? []) as readonly number[]
  return { applied, backlog }
}

function rowsOf(connection: Connection, sql: string, values: readonly number[]): StoredRow[] {
  const rows = connection.query(sql, values).rows as (readonly [number, number, number, Uint8Array])[]
  return rows.map(([first, last, committedAt, frames]) => ({ first, last, committedAt, frames }))
}

/** Says that committed incidents are gone. */
export const lostText = (first: number, last: number): string =>
  `the database has lost the incidents ${first} to ${last}, which were committed: it failed over to a server without them, or was restored`

const missing = (first: number, last: number): StoredFrame => ({
  frame: new Uint8Array(0),
  first,
  last,
  damage: `the incidents ${first} to ${last} are missing in the table journal`,
})
