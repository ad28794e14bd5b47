import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CodedError } from '../../domain/errors.ts'
import { migrate } from '../schema/migrate.ts'
import { isBusy, toCodedError } from './errors.ts'

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
 * Creates the data directory with mode 0700 and syncs its parent; an existing one is left as it is. Throws
 * `storage_full`, `storage_down`.
 */
export function makeDirectory(dataDir: string): void {
  withStorageErrors(dataDir, () => {
    const created = mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (created !== undefined) for (const directory of [dataDir, dirname(created)]) syncDirectory(directory)
  })
}

/** Runs `work`, which writes into the data directory, and turns its failures into `storage_full` or `storage_down`. */
function withStorageErrors<T>(dataDir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new CodedError(
      reason === 'ENOSPC' ? 'storage_full' : 'storage_down',
      `the data directory ${dataDir} cannot be written (${reason}): check its owner, mode and disk`,
      { cause: error },
    )
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
