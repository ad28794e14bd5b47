import type { DatabaseSync } from 'node:sqlite'

const READ_OR_WRITE = ['run', 'get', 'all', 'iterate'] as const

/** Makes statements of a database fail as those of a bad disk do. To be created before the statements are prepared. */
export class Faults {
  /** Statements that ran so far. */
  ran = 0
  #isBad: (sql: string) => boolean = () => false

  constructor(db: DatabaseSync) {
    const prepare = db.prepare.bind(db)
    db.prepare = (sql, ...options) => {
      const statement = prepare(sql, ...options)
      for (const name of READ_OR_WRITE) {
        const call = statement[name].bind(statement) as (...parameters: unknown[]) => never
        statement[name] = (...parameters: unknown[]) => {
          if (this.#isBad(sql)) throw Object.assign(new Error('disk I/O error'), { errcode: IOERR })
          this.ran++
          return call(...parameters)
        }
      }
      return statement
    }
  }

  /**
   * Runs `work` on a disk that fails from the nth statement on, counted from 0; 'COMMIT': at the
   * commit. `onFirst` is called before the first one fails.
   */
  during<T>(at: number | 'COMMIT', work: () => T, onFirst = () => {}): T {
    const begin = this.ran
    let first = true
    this.#isBad = (sql) => {
      const bad = at === 'COMMIT' ? sql === at : this.ran - begin >= at
      if (bad && first) onFirst()
      if (bad) first = false
      return bad
    }
    try {
      return work()
    } finally {
      this.#isBad = () => false
    }
  }
}

const IOERR = 10
