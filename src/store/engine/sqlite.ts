import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { CodedError } from '../../domain/errors.ts'
import { openFts5 } from '../search/fts5.ts'
import { toCodedError } from './errors.ts'
import type { Engine, Sql, Transact } from './sql.ts'
import { openStatements } from './statement.ts'

const FILE_MISSING = 'the database was moved or removed while it was open: put it back, and restart the service'

/** Returns the engine of a connection. One without an engine of its own is a `DatabaseSync`. */
export const engineOf = (db: Sql): Engine => db.engine ?? openSqlite(db as DatabaseSync)

function openSqlite(db: DatabaseSync): Engine {
  const statements = openStatements(db)
  const begin = statements.command('BEGIN IMMEDIATE')
  const commit = statements.command('COMMIT')
  // SQLite syncs nothing for a transaction that leaves every page as it was, and writes no row whose values stay the same.
  const touch = statements.command('UPDATE applied SET up_to = ~up_to')
  const life = statements.query<{ life: number }>('SELECT life FROM process')
  const moving = statements.query<{ log: number; checkpointed: number }>('PRAGMA wal_checkpoint(PASSIVE)')
  const path = db.location()
  const identity = identityOf(path)
  /** Something was written without an fsync since the last one. */
  let unsynced = false

  /** Twice: the number stays. */
  function forceSync(): void {
    touch.run()
    touch.run()
  }

  function checkpoint(): boolean {
    try {
      const moved = moving.get()
      return moved !== undefined && moved.log === moved.checkpointed
    } catch {
      return false
    }
  }

  const transact: Transact = (work, { synced, undo }) => {
    if (db.isTransaction) throw new Error('a transaction cannot start inside another one')
    if (identityOf(path) !== identity) throw new CodedError('storage_down', FILE_MISSING)
    try {
      begin.run()
      if (synced && unsynced) forceSync()
      const result = work()
      commit.run()
      unsynced = !synced
      return result
    } catch (error) {
      undo()
      rollback(db)
      const failure = toCodedError(error)
      // A checkpoint may still fit, because it reuses pages of the database file. Then the write-ahead log starts again
      // from its beginning.
      if (failure instanceof CodedError && failure.code === 'storage_full') checkpoint()
      throw failure
    }
  }

  return {
    isRemote: false,
    transact: (work, options) =>
      options.synced ? transact(work, options) : withoutFsync(db, () => transact(work, options)),
    checkpoint() {
      const done = checkpoint()
      if (done) unsynced = false
      return done
    },
    beginLife: () => (life.get()?.life ?? 0) + 1,
    sizes() {
      return { databaseBytes: sizeOf(path), walBytes: sizeOf(`${path}-wal`) }
    },
    search: openFts5(statements),
  }
}

/** Runs transactions without fsync. A power cut may undo them as a whole, but nothing committed before. */
function withoutFsync<T>(db: Sql, work: () => T): T {
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}

/** Errors are ignored: a failing disk may have ended the transaction, and the first error is the one to report. */
function rollback(db: Sql): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK')
  } catch {}
}

function sizeOf(path: string | null): number {
  return (path === null ? undefined : statSync(path, { throwIfNoEntry: false })?.size) ?? 0
}

/**
 * Returns device and inode of a file, which tell that the database was removed or replaced while it was open: SQLite would go on
 * writing into the file that no path leads to any more. Undefined: there is none.
 */
function identityOf(path: string | null): string | undefined {
  try {
    const file = path === null ? undefined : statSync(path, { bigint: true })
    return file && `${file.dev} ${file.ino}`
  } catch {
    return undefined
  }
}
