import type { Connection } from './contract.ts'

/** State of the database that makes everything slower before it fails. */
export interface ServerState {
  /** Rows that vacuum has not removed, by table of the schema. */
  readonly deadTuples?: { readonly [table: string]: number }
  /** Age of the oldest transaction of a client of this database. */
  readonly oldestTransactionMs?: number
}

/** Reads of other users' transactions need the role `pg_read_all_stats`; without it only the own ones count. */
const STATE = `SELECT
  (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 * 1000 FROM pg_stat_activity
   WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()) AS "oldestTransactionMs",
  (SELECT coalesce(json_object_agg(relname, n_dead_tup), '{}') FROM pg_stat_user_tables
   WHERE schemaname = current_schema()) AS "deadTuples"`

/** Reads the state. Rejects as the connection does. */
export async function readServerState(connection: Pick<Connection, 'query'>): Promise<ServerState> {
  const [row] = await connection.query(STATE)
  return row as ServerState
}
