import type { Connection } from './contract.ts'

/** State of the database that makes everything slower before it fails. */
export interface ServerState {
  /** Rows that vacuum has not removed, by table of the schema. */
  readonly deadTuples?: { readonly [table: string]: number }
  /** Age of the oldest transaction of this database that keeps old rows, whoever began it. */
  readonly oldestTransactionMs?: number
}

/**
 * When a transaction of another user began needs the role `pg_read_all_stats`. All may see its oldest row version, which
 * stays the same for as long as it keeps that. Vacuum has no user, and keeps nothing.
 */
const STATE = `SELECT
  (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 * 1000 FROM pg_stat_activity
   WHERE datname = current_database() AND usesysid IS NOT NULL AND pid <> pg_backend_pid()) AS "startedBeforeMs",
  (SELECT backend_xmin::text FROM pg_stat_activity
   WHERE datname = current_database() AND usesysid IS NOT NULL AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
   ORDER BY age(backend_xmin) DESC LIMIT 1) AS "oldestVersion",
  (SELECT coalesce(json_object_agg(relname, n_dead_tup), '{}') FROM pg_stat_user_tables
   WHERE schemaname = current_schema()) AS "deadTuples"`

interface StateRow {
  readonly startedBeforeMs: number
  readonly oldestVersion: string | null
  readonly deadTuples: { readonly [table: string]: number }
}

/** Reads the state again and again: transactions of other users are as old as it has seen them. */
export class ServerWatch {
  readonly #elapsed: () => number
  #oldest: { readonly version: string; readonly since: number } | undefined

  /** @param elapsed monotonic milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Rejects as the connection does. */
  async read(connection: Pick<Connection, 'query'>): Promise<ServerState> {
    const [row] = await connection.query(STATE)
    const { startedBeforeMs, oldestVersion: version, deadTuples } = row as unknown as StateRow
    if (version === null) this.#oldest = undefined
    else if (version !== this.#oldest?.version) this.#oldest = { version, since: this.#elapsed() }
    const seenForMs = this.#oldest === undefined ? 0 : this.#elapsed() - this.#oldest.since
    return { deadTuples, oldestTransactionMs: Math.max(startedBeforeMs, seenForMs) }
  }
}
