import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CodedError } from '../domain/errors.ts'

/** Wait for the lock of a process that is just ending. */
const LOCK_WAIT_MS = 500
const SQLITE_BUSY = 5

/**
 * Takes the lock of the journal, which the kernel drops with the process. Node has no call for file locks, so it is the
 * write lock of an empty SQLite file, `<dataDir>/journal.lock`. The lock of the database is not enough: a process
 * gives it back while its store thread is started again, and goes on writing its journal. Throws `storage_down` when
 * another process holds it.
 */
export function lockJournal(dataDir: string): { release(): void } {
  const path = join(dataDir, 'journal.lock')
  let lock: DatabaseSync | undefined
  try {
    closeSync(openSync(path, 'a', 0o600))
    // The file may be there with another mode.
    chmodSync(path, 0o600)
    lock = new DatabaseSync(path, { timeout: LOCK_WAIT_MS })
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    const isHeld = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
    const what = isHeld
      ? `another process uses the data directory ${dataDir}: stop it, or set another storage.file.data_dir`
      : `the file ${path} cannot be locked: check its owner, mode and disk`
    throw new CodedError('storage_down', what, { cause: error })
  }
  const held = lock
  return { release: () => held.close() }
}
