import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CodedError } from '../../domain/errors.ts'
import { makeDirectory, withStorageErrors } from './data-directory.ts'
import { isBusy, toCodedError } from './errors.ts'
import { migrate } from './schema.ts'
import { command } from './statement.ts'

/**
 * EXCLUSIVE keeps the file lock for as long as the database is open (the kernel drops it with the process) and keeps the index of the
 * write-ahead log in memory, so that nothing depends on memory shared through a file, which network volumes do not offer.
 * synchronous=FULL is the fsync behind every promise. A checkpoint inside a commit stays short at 4000 pages.
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
/** How long an opener waits for a predecessor that is just closing. */
const LOCK_WAIT_MS = 500

/** Opens `<dataDir>/tocsin.db`, alone and at the newest version, or throws `storage_full` or `storage_down` saying why. */
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

/** The file exists and belongs to its owner alone. */
function prepareFile(dataDir: string): string {
  makeDirectory(dataDir)
  const path = join(dataDir, 'tocsin.db')
  withStorageErrors(dataDir, () => {
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
  })
  return path
}

/** Runs `work` in one transaction; `undo` puts back what memory knew when it fails. */
type Transaction = <T>(work: () => T, undo: () => void) => T

/** Failures of the disk come out as coded errors, those of `work` as they are. */
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
      // Where the log cannot grow, what it holds may still fit into the database, and then the log has room for the next one.
      if (failure instanceof CodedError && failure.code === 'storage_full') checkpoint(db)
      throw failure
    }
  }
}

/** Moves the log into the database file, as far as nobody is in the way; false when it fails. */
export function checkpoint(db: DatabaseSync): boolean {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return true
  } catch {
    return false
  }
}

/** What `work` commits needs no fsync of its own: a power cut may undo it, never what was committed before, and nothing half. */
export function withoutFsync<T>(db: DatabaseSync, work: () => T): T {
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}

/** A failing disk may have ended the transaction already; what `ROLLBACK` says then adds nothing to the first failure. */
function rollback(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK')
  } catch {}
}
