import { closeSync, constants, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RehearsalResult } from '../../src/api/noise/rehearsal.ts'
import { CodedError } from '../../src/domain/errors.ts'
import { toCodedError } from '../../src/store/engine/errors.ts'
import { openStatements } from '../../src/store/engine/statement.ts'
import { openPayloads } from '../../src/store/journal/payloads.ts'
import { openHistory } from '../../src/store/noise/queries/history.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { storeBoot } from '../wiring/boot.ts'
import type { SystemSettings } from '../wiring/settings.ts'
import { rehearse } from './rehearse.ts'

interface DirectoryPlan {
  /** Its database is read, whether a service runs on it or not. */
  readonly dataDir: string
  readonly inForce: SystemSettings
  readonly proposed: SystemSettings
  readonly hours: number
  /** Epoch milliseconds. */
  readonly now: number
  /** From 0 to 1. */
  progress(done: number): void
}

const HOUR_MS = 3_600_000

/** Plays the incidents of a data directory. Throws storage_down, storage_full. */
export async function rehearseDirectory(plan: DirectoryPlan): Promise<RehearsalResult> {
  const { dataDir, now, hours, progress } = plan
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-rehearsal-'))
  try {
    const db = openCopy(dataDir, join(folder, 'tocsin.db'))
    try {
      const statements = openStatements(db)
      const history = openHistory({ db: statements, payloads: openPayloads({ db: statements, caches: [] }) })
      const inForce = storeBoot({ settings: plan.inForce, secrets: [] })
      const proposed = storeBoot({ settings: plan.proposed, secrets: [] })
      const times = { from: now - hours * HOUR_MS, to: now }
      const around = { progress, maxCpuMs: Infinity, cpuMs: () => 0 }
      return await rehearse({ inForce, proposed, ...times }, history, around)
    } finally {
      db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function openCopy(dataDir: string, copy: string): DatabaseSync {
  const path = join(dataDir, 'tocsin.db')
  if (!existsSync(path))
    throw new CodedError('storage_down', `${dataDir} holds no tocsin.db: give the directory of storage.file.data_dir`)
  let db: DatabaseSync | undefined
  try {
    copyDatabase(path, copy)
    db = new DatabaseSync(copy)
    migrate(db)
    return db
  } catch (error) {
    db?.close()
    throw toCodedError(error)
  }
}

const MAX_TRIES = 50
/** Header of a write-ahead log, with the number of its generation. */
const HEADER_BYTES = 32

/**
 * Copies a database that a service may be writing to; a service holds a lock that lets nobody read it through SQLite.
 * The log is copied after the database. While it is of one generation, it holds all pages that a checkpoint moved into
 * the database meanwhile, so opening the copy makes these whole; what was torn at its end is left out.
 */
function copyDatabase(from: string, to: string): void {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const generation = headerOf(`${from}-wal`)
    rmSync(`${to}-wal`, { force: true })
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`, constants.COPYFILE_FICLONE)
    if (generation.equals(headerOf(`${from}-wal`))) return
  }
  throw new CodedError(
    'storage_down',
    'the database changes faster than it can be copied: ask the running service instead',
  )
}

/** Returns no bytes when there is no such file. */
function headerOf(path: string): Buffer {
  if (!existsSync(path)) return Buffer.alloc(0)
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0))
  } finally {
    closeSync(file)
  }
}
