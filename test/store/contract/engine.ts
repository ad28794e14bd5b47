import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { openStore, type Store, type StoreOptions } from '../../../src/store/store.ts'
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
  open(options: StoreOptions): Opened
}

export const SQLITE: Engine = {
  name: 'SQLite',
  open(options) {
    const db = openDatabase(options.dataDir)
    const faults = new Faults(db)
    const store = openStore(options, db)
    return {
      store,
      refusedFrom: (step, work) => faults.during(step, work),
      crashAt(step, dataDir, work) {
        let crashed = false
        const copy = () => {
          crashed = true
          mkdirSync(dataDir)
          for (const file of readdirSync(options.dataDir).filter((name) => name.startsWith('tocsin.db')))
            copyFileSync(join(options.dataDir, file), join(dataDir, file))
        }
        try {
          faults.during(step, work, copy)
        } finally {
          if (!crashed) copy()
          store.close()
        }
      },
    }
  },
}
