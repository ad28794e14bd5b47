import { CodedError, type ErrorCode } from '../../domain/errors.ts'

/** Primary result codes of SQLite that mean a failing disk, file or memory. All others mean a bug. */
const BUSY = 5
const FULL = 13
const DISK: { readonly [code: number]: ErrorCode } = {
  [BUSY]: 'storage_down',
  6: 'storage_down', // LOCKED
  7: 'storage_down', // NOMEM: it passes, as others do
  8: 'storage_down', // READONLY
  10: 'storage_down', // IOERR
  11: 'storage_down', // CORRUPT
  [FULL]: 'storage_full',
  14: 'storage_down', // CANTOPEN
  15: 'storage_down', // PROTOCOL
  22: 'storage_down', // NOLFS
  23: 'storage_down', // AUTH
  26: 'storage_down', // NOTADB
}

/** Returns `storage_full` or `storage_down` for a failure of the disk; any other error as it is. */
export function toCodedError(error: unknown): unknown {
  const code = DISK[primaryCode(error)]
  if (code === undefined || !(error instanceof Error)) return error
  return new CodedError(code, `the database failed: ${error.message}`, { cause: error })
}

/** True when another process holds the database. */
export const isBusy = (error: unknown) => primaryCode(error) === BUSY

function primaryCode(error: unknown): number {
  // The lower byte of an extended result code is its primary code.
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : -1
}
