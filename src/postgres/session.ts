/** PostgreSQL 14: the oldest version with support in 2026. */
const OLDEST_VERSION = 140_000

/** A leader that stands still holds no lock for longer than its lease and 2 s, whatever the commit timeout is. */
const LONGEST_IDLE_MS = 3_000

/** Settings of a session, by name. A session that does nothing inside a transaction for `idle...` is ended: a stopped replica holds no lock. */
export function sessionSettings(schema: string, commitTimeoutMs: number): { readonly [name: string]: string } {
  return {
    search_path: quoted(schema),
    // All statements are made for nested loops over indexes, and read the first rows in the order of one. One that is
    // prepared while its tables are empty would read them whole, or sort them, for as long as they have no statistics.
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    enable_sort: 'off',
    statement_timeout: String(Math.floor(commitTimeoutMs * 0.8)),
    lock_timeout: String(Math.floor(commitTimeoutMs * 0.4)),
    idle_in_transaction_session_timeout: String(Math.min(LONGEST_IDLE_MS, Math.floor(commitTimeoutMs * 0.6))),
    timezone: 'UTC',
    // Compiling a statement takes longer than any statement of the store.
    jit: 'off',
  }
}

/** Quotes a name of PostgreSQL. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Returns a statement that makes the settings; `local`: until the end of the transaction. */
export function settingStatement(settings: { readonly [name: string]: string }, local: boolean): string {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config(${literal(name)}, ${literal(value)}, ${local})`,
  )
  // `off` and `local` would answer a commit before it is on a disk.
  const durable = `set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on' ELSE current_setting('synchronous_commit') END, ${local})`
  return `SELECT ${[...calls, durable].join(', ')}`
}

/** Reads a `ServerRow`. A standby cannot tell its timeline in this way. */
export const SERVER_QUERY = `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit,
  current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') AS read_only, pg_is_in_recovery() AS standby,
  (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END AS timeline`

export interface ServerRow {
  readonly number: number
  readonly version: string
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly encoding: string
  readonly read_only: string
  readonly standby: boolean
  readonly system: string
  readonly timeline: string
}

/** Returns why the service must not keep its data on a server; undefined: it may. */
export function refusalOf(server: ServerRow): string | undefined {
  if (server.number < OLDEST_VERSION) return `it runs PostgreSQL ${server.version}: use 14 or newer`
  if (server.fsync !== 'on') return 'it runs with fsync=off, and loses commits when it crashes: set fsync=on'
  if (server.full_page_writes !== 'on')
    return 'it runs with full_page_writes=off, and may lose data when it crashes: set full_page_writes=on'
  if (server.synchronous_commit === 'off' || server.synchronous_commit === 'local')
    return `synchronous_commit=${server.synchronous_commit} cannot be changed here, and loses commits: set synchronous_commit=on`
  if (server.encoding !== 'UTF8') return `the database has the encoding ${server.encoding}: create it with UTF8`
  if (server.standby) return 'it is a standby: name the primary too'
  if (server.read_only !== 'off') return 'its transactions are read-only: set default_transaction_read_only=off'
  return undefined
}
