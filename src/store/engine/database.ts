import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CodedError } from '../../domain/errors.ts'
import { makeDirectory, withStorageErrors } from './data-directory.ts'
import { isBusy, toCodedError } from './errors.ts'
import { migrate } from './schema.ts'
import { command, query } from './statement.ts'

/**
 * EXCLUSIVE holds the file lock while the database is open (the kernel drops it with the process), and keeps the index
 * of the write-ahead log in the process's own memory: network volumes offer no memory shared through a file.
 * synchronous=FULL is the fsync behind `write`. wal_autocheckpoint=4000 pages bounds a checkpoint inside a commit.
 */
const PRAGMAS = `
PRAGMA page_size = 4096;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -32768;
PRAGMA temp_store = MEMORY;
PRAGMA trusted_schema = OFF;
`
/** Wait for the lock of a process that is just closing. */
const LOCK_WAIT_MS = 500

/**
 * Opens `<dataDir>/tocsin.db` under an exclusive lock and migrates it. Throws `storage_full`, `storage_down` with the
 * reason.
 */
export function openDatabase(dataDir: string): DatabaseSync {
  const path = prepareFile(dataDir)
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { enableForeignKeyConstraints: false, timeout: LOCK_WAIT_MS })
    db.exec(PRAGMAS)
    migrate(db)
    return db
  } catch (error) {
    db?.close()
    if (isBusy(error))
      throw new CodedError(
        'storage_down',
        `another process uses the data directory ${dataDir}: stop it, or set another storage.file.data_dir`,
        { cause: error },
      )
    throw toCodedError(error)
  }
}

/** Creates the file when it is missing, with mode 0600; returns its path. */
function prepareFile(dataDir: string): string {
  makeDirectory(dataDir)
  const path = join(dataDir, 'tocsin.db')
  withStorageErrors(dataDir, () => {
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
  })
  return path
}

/**
 * Runs `work` in one transaction. When it fails, `undo` restores memory. Throws `storage_full`, `storage_down`, and
 * what `work` throws.
 */
type Transaction = <T>(work: () => T, undo: () => void) => T

export function transactionOf(db: DatabaseSync): Transaction {
  const begin = command(db, 'BEGIN IMMEDIATE')
  const commit = command(db, 'COMMIT')
  return (work, undo) => {
    if (db.isTransaction) throw new Error('a transaction cannot start inside another one')
    try {
      begin.run()
      const result = work()
      commit.run()
      return result
    } catch (error) {
      undo()
      rollback(db)
      const failure = toCodedError(error)
      // A checkpoint may still fit, because it reuses pages of the database file. Then the write-ahead log starts again
      // from its beginning.
      if (failure instanceof CodedError && failure.code === 'storage_full') checkpoint(db)
      throw failure
    }
  }
}

/** Moves the write-ahead log into the database file, both with an fsync; false when a part of it could not be moved. */
export function checkpoint(db: DatabaseSync): boolean {
  try {
    const moved = query<{ log: number; checkpointed: number }>(db, 'PRAGMA wal_checkpoint(PASSIVE)').get()
    return moved !== undefined && moved.log === moved.checkpointed
  } catch {
    return false
  }
}

/** Runs transactions without fsync. A power cut may undo them as a whole, but nothing committed before. */
export function withoutFsync<T>(db: DatabaseSync, work: () => T): T {
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}

/** Errors are ignored: a failing disk may have ended the transaction, and the first error is the one to report. */
function rollback(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK')
  } catch {}
}
