import { CodedError } from '../../domain/errors.ts'
import { OutcomeUnknown, PostgresError } from '../../postgres/errors.ts'
import type { SyncPostgres } from '../../postgres/sync.ts'
import { type Engine, Fenced, type Sql, type Transact } from '../engine/sql.ts'
import { openStatements } from '../engine/statement.ts'
import { FENCED } from '../schema/postgres.ts'
import { Outgoing } from './outgoing.ts'
import { openTsvector } from './search.ts'
import { openSql, type Sending } from './sql.ts'

interface EngineOptions {
  /** Term of the leader's lease under which the store is opened; absent: there is no lease. */
  readonly term?: number
  /** Called when nothing more may be written: the store has to be opened anew. */
  ended?(error: Error): void
}

/**
 * Returns the database of the store over a connection. The schema is installed. Statements without an answer are sent
 * with the next one that has one, or with the commit. Each transaction begins with the proof that no other process has
 * opened the store since, which holds until its end.
 */
export function openPostgresStore(
  connection: SyncPostgres,
  { term, ended: report = () => {} }: EngineOptions = {},
): Sql {
  const sending: Sending = { careful: false, outgoing: new Outgoing(connection) }
  let life = 0
  /** Transactions of this life that are committed. */
  let committed = 0
  /** Why the store has to be opened anew. */
  let ended: CodedError | undefined

  function begin(synced: boolean): void {
    connection.begin()
    if (!synced) connection.queue('SET LOCAL synchronous_commit = off')
    connection.queue('SELECT fence($1, $2)', [life, committed])
  }

  /** A failed statement without an answer may show at another one, so the error proves nothing about that. */
  const isVague = (error: unknown) => !sending.careful && !(error instanceof CodedError)

  function failureOf(error: unknown): unknown {
    const failure = causes(error).some((cause) => cause instanceof PostgresError && cause.sqlstate === FENCED)
      ? new Fenced()
      : error
    if (failure instanceof Fenced || failure instanceof OutcomeUnknown) {
      ended = failure
      report(failure)
    }
    return failure
  }

  function attempt<T>(work: () => T, synced: boolean): T {
    begin(synced)
    const result = work()
    sending.outgoing.drain()
    connection.commit(() => connection.query(COUNTED, [life, committed + 1]).rows.length > 0)
    committed++
    return result
  }

  const transact: Transact = (work, { synced, undo }) => {
    if (ended !== undefined) throw ended
    if (connection.inTransaction) throw new Error('a transaction cannot start inside another one')
    const startedAt = performance.now()
    try {
      for (;;)
        try {
          return attempt(work, synced)
        } catch (error) {
          undo()
          sending.outgoing.drop()
          connection.rollback()
          const failure = failureOf(error)
          if (ended !== undefined) throw failure
          if (connection.mayRepeat(failure, startedAt)) continue
          if (!isVague(failure)) throw failure
          sending.careful = true
        }
    } finally {
      sending.careful = false
    }
  }

  const engine: Engine = {
    isRemote: true,
    transact,
    /** A commit is durable together with all that was committed before. */
    checkpoint() {
      try {
        transact(() => undefined, { synced: true, undo() {} })
        return true
      } catch {
        return false
      }
    },
    beginLife() {
      connection.begin()
      if (term !== undefined) connection.queue('SELECT fence_term($1)', [term])
      try {
        const { rows } = connection.query('UPDATE process SET life = life + 1, transactions = 0 RETURNING life')
        connection.commit()
        life = rows[0]?.[0] as number
        committed = 0
        return life
      } catch (error) {
        connection.rollback()
        throw failureOf(error)
      }
    },
    sizes() {
      const { rows } = connection.query(BYTES)
      return { databaseBytes: Number(rows[0]?.[0] ?? 0), walBytes: 0 }
    },
    get search() {
      return search
    },
  }
  const sql = openSql(connection, sending, engine)
  const search = openTsvector(openStatements(sql))
  return sql
}

/** True when a commit whose answer was lost took effect: a number of a transaction may be given twice. */
const COUNTED = 'SELECT 1 FROM process WHERE life = $1 AND transactions = $2'

const BYTES = `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`

/** An error, and those that led to it. */
function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let each = error; each instanceof Error && !chain.includes(each); each = each.cause) chain.push(each)
  return chain
}
