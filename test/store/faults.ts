import { CodedError } from '../../src/domain/errors.ts'
import type { SyncPostgres } from '../../src/postgres/sync.ts'
import type { Sql, SqlStatement } from '../../src/store/engine/sql.ts'

/** Makes statements of a database fail as those of a bad disk do. To be given the database before it prepares any. */
export class Faults {
  /** Statements that ran so far. */
  ran = 0
  #isBad: (sql: string) => boolean = () => false
  readonly #code: 'storage_down' | 'storage_full'
  #failure = () => Object.assign(new Error('disk I/O error'), { errcode: this.#code === 'storage_full' ? FULL : IOERR })

  constructor(code: 'storage_down' | 'storage_full' = 'storage_down') {
    this.#code = code
  }

  /** Statements of SQLite. They are prepared at their first use: a store has hundreds, and a test uses few. */
  watch(db: Sql): void {
    const prepare = db.prepare.bind(db)
    db.prepare = (sql) => {
      let prepared: SqlStatement | undefined
      let asArrays = false
      const statement = () => {
        prepared ??= prepare(sql)
        prepared.setReturnArrays(asArrays)
        return prepared
      }
      const pass = () => this.#pass(sql)
      return {
        setReturnArrays(enabled) {
          asArrays = enabled
        },
        columns: () => statement().columns(),
        get(...parameters) {
          pass()
          return statement().get(...parameters)
        },
        all(...parameters) {
          pass()
          return statement().all(...parameters)
        },
        run(...parameters) {
          pass()
          return statement().run(...parameters)
        },
      }
    }
  }

  /** Statements that PostgreSQL is sent, and commits. */
  watchConnection(connection: SyncPostgres): SyncPostgres {
    const through =
      <Args extends readonly [string, ...unknown[]], Result>(call: (...args: Args) => Result) =>
      (...args: Args): Result => {
        this.#pass(args[0])
        return call(...args)
      }
    this.#failure = () => Object.assign(new CodedError(this.#code, 'the server failed'), { errcode: 0 })
    return Object.assign(Object.create(connection) as SyncPostgres, {
      query: through(connection.query.bind(connection)),
      queue: through(connection.queue.bind(connection)),
      commit: () => {
        this.#pass('COMMIT')
        connection.commit()
      },
    })
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

  #pass(sql: string): void {
    if (this.#isBad(sql)) throw this.#failure()
    this.ran++
  }
}

/** Result codes of SQLite. */
const IOERR = 10
const FULL = 13
