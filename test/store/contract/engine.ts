import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../../src/store/engine/sql.ts'
import type { Store } from '../../../src/store/store.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { inherit, openDatabase, openStore } from '../database.ts'
import { Faults } from '../faults.ts'

/** A store under test, and what can happen to it. */
export interface Opened {
  readonly store: Store
  /** Runs `work` while the disk refuses everything from the nth step on; a turn takes some steps. */
  refusedFrom(step: number, work: () => void): void
  /**
   * Runs `work`, and leaves the data as a crash of the process at the nth step would, or at the end when it takes fewer,
   * in another directory. Closes the store.
   */
  crashAt(step: number, dataDir: string, work: () => void): void
}

/** One implementation of the ports of the store. Each passes the same contract. */
export interface Engine {
  readonly name: string
  /** Random walks that the contract tries. */
  readonly runs: number
  open(options: StoreOptions): Opened
}

export const SQLITE: Engine = {
  name: 'SQLite',
  runs: 5,
  open: (options) => opened(options, copyFiles),
}

/** A crash loses what is not committed. */
export const POSTGRES: Engine = {
  name: 'PostgreSQL',
  runs: 3,
  open: (options) =>
    opened(options, (from, to, db) => {
      db.close()
      inherit(from, to)
    }),
}

function opened(options: StoreOptions, keep: (from: string, to: string, db: Sql) => void): Opened {
  const faults = new Faults()
  const db = openDatabase(options.dataDir, faults)
  const store = openStore(options, db)
  return {
    store,
    refusedFrom: (step, work) => faults.during(step, work),
    crashAt(step, dataDir, work) {
      let crashed = false
      const crash = () => {
        crashed = true
        keep(options.dataDir, dataDir, db)
      }
      try {
        faults.during(step, work, crash)
      } finally {
        if (!crashed) crash()
        store.close()
      }
    },
  }
}

function copyFiles(from: string, to: string): void {
  mkdirSync(to)
  for (const file of readdirSync(from).filter((name) => name.startsWith('tocsin.db')))
    copyFileSync(join(from, file), join(to, file))
}
