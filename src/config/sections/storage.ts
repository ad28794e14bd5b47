import { hostname } from 'node:os'
import { z } from 'zod'
import { camelKeys, duration, flag, httpUrl, oneOf, secret, text, whole } from '../../settings/fields.ts'

/** Finished incidents that are kept; pending deliveries and armed timers above which incidents are refused. */
const limits = (incidents: number) => ({
  max_incidents: whole(incidents, [1, 100_000_000]),
  max_backlog: whole(100_000, [1, 100_000_000]),
})

const POSTGRES_URL = /^postgres(?:ql)?:\/\/[^\s/]*\/?\S*$/i
const NOT_A_POSTGRES_URL = 'must be an address such as postgres://user:password@host:5432/database'
const postgresUrl = () => secret().refine((url) => url === '' || POSTGRES_URL.test(url), { error: NOT_A_POSTGRES_URL })

const SCHEMA_NAME = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/
const LONGEST_LEASE_MS = 60_000
const LONGEST_COMMIT_MS = 60_000

const atMost = (maxMs: number, because: string) => [(ms: number) => ms <= maxMs, { error: because }] as const

const postgres = z
  .object({
    /** May name several hosts, separated by commas. */
    url: postgresUrl(),
    /** A direct address for LISTEN, if `url` leads to a transaction pooler; empty: `url`. */
    listen_url: postgresUrl(),
    schema: text('tocsin').refine((name) => SCHEMA_NAME.test(name), {
      error: 'must be a name of small letters, digits and _, at most 63 of them, that does not begin with pg_',
    }),
    ...limits(100_000),
    lease: duration('5s', 2_000).refine(...atMost(LONGEST_LEASE_MS, 'must be a time from 2s to 1m')),
    /** Time in which the outcome of a commit has to be known. */
    commit_timeout: duration('5s', 1_000).refine(...atMost(LONGEST_COMMIT_MS, 'must be a time from 1s to 1m')),
    /** Not ready while the server waits for no synchronous standby. */
    require_synchronous: flag(false),
  })
  .transform(({ max_incidents, max_backlog, lease, commit_timeout, ...raw }) => ({
    ...camelKeys({ max_incidents, max_backlog }),
    connection: { ...camelKeys(raw), leaseMs: lease, commitTimeoutMs: commit_timeout },
  }))

/** `storage`: the data directory, or a PostgreSQL database that several replicas share; and the limits. */
export const storage = z
  .object({
    type: oneOf(['file', 'postgres']),
    file: z.object({ data_dir: text('./data'), ...limits(1_000) }).transform(camelKeys),
    postgres,
  })
  .transform(({ type, file, postgres: { connection, ...limited } }) =>
    type === 'file'
      ? { type: 'file' as const, ...file }
      : { type: 'postgres' as const, dataDir: file.dataDir, ...limited, postgres: connection },
  )

/** `replica`: this process among those that share a database. */
export const replica = z.object({ name: text(), address: httpUrl() }).transform(({ name, address }) => ({
  /** Names the process in lists and log lines of others. */
  name: name || hostname(),
  /** Base address at which the other replicas reach this one; empty: they do not. */
  address,
}))
