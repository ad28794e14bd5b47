import { CodedError } from '../../domain/errors.ts'

const BUSY = 5
const FULL = 13
/**
 * Primary result codes of SQLite that mean a failing disk, file or memory, beside these two: LOCKED, NOMEM (it passes, as others
 * do), READONLY, IOERR, CORRUPT, CANTOPEN, PROTOCOL, NOLFS, AUTH, NOTADB. All others mean a bug.
 */
const DOWN: ReadonlySet<number> = new Set([BUSY, 6, 7, 8, 10, 11, 14, 15, 22, 23, 26])

/** Returns `storage_full` or `storage_down` for a failure of the disk; any other error as it is. */
export function toCodedError(error: unknown): unknown {
  const code = primaryCode(error)
  if (!(error instanceof Error) || (code !== FULL && !DOWN.has(code))) return error
  const kind = code === FULL ? 'storage_full' : 'storage_down'
  return new CodedError(kind, `the database failed: ${error.message}`, { cause: error })
}

/** True when another process holds the database. */
export const isBusy = (error: unknown) => primaryCode(error) === BUSY

function primaryCode(error: unknown): number {
  // The lower byte of an extended result code is its primary code.
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : -1
}
