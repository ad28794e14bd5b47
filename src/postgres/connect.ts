import type { ConnectionOptions } from 'node:tls'
import { Client, DatabaseError } from 'pg'
import { CONNECTION_FAILURE, PostgresError, toStorageError } from './errors.ts'
import type { ConnectPlan, ServerIdentity } from './protocol.ts'
import { refusalOf, SERVER_QUERY, type ServerRow, sessionSettings, settingStatement } from './session.ts'
import { type Endpoint, endpointsOf, type PostgresSettings } from './settings.ts'

interface ConnectOptions {
  readonly applicationName: string
  /** Absent: that of the settings. */
  readonly url?: string
}

/**
 * Returns a connection for code that waits with promises, with the settings of the session that `SyncPostgres` has too. It
 * emits 'error' when it is lost. Rejects with `storage_down`.
 */
export async function connectPostgres(
  { url, schema, commitTimeoutMs }: PostgresSettings,
  { applicationName, url: other = url }: ConnectOptions,
): Promise<Client> {
  const session = sessionSettings(schema, commitTimeoutMs)
  try {
    const plan = { endpoints: endpointsOf(other), timeoutMs: commitTimeoutMs, session }
    return (await connectTo(plan, applicationName)).client
  } catch (error) {
    throw toStorageError(error)
  }
}

const KEEP_ALIVE_MS = 10_000
/** Below it no host can answer. */
const SHORTEST_TRY_MS = 500

export interface Connected {
  readonly client: Client
  readonly server: ServerIdentity
}

/** Connects to the first host that is a primary and may be used. Rejects with a `PostgresError` that names each host. */
export async function connectTo(
  { endpoints, timeoutMs, session }: ConnectPlan,
  applicationName: string,
): Promise<Connected> {
  const failures: PostgresError[] = []
  const end = performance.now() + timeoutMs
  for (const [n, endpoint] of endpoints.entries()) {
    const share = (end - performance.now()) / (endpoints.length - n)
    const client = clientOf(endpoint, applicationName, Math.max(SHORTEST_TRY_MS, share))
    try {
      await client.connect()
      return { client, server: await prepare(client, endpoint, session) }
    } catch (error) {
      client.end().catch(() => {})
      failures.push(toPostgresError(error, endpoint))
    }
  }
  const [first] = failures
  if (first === undefined) throw new PostgresError(CONNECTION_FAILURE, 'no host is named')
  const advice = adviceOn(first)
  const text = failures.map(({ message }) => message).join('; ') + (advice === undefined ? '' : ` (${advice})`)
  throw new PostgresError(first.sqlstate, text, { cause: first })
}

/** By SQLSTATE or its class, or by the code of Node.js. */
const ADVICE: { readonly [code: string]: string } = {
  28: 'check user and password in storage.postgres.url, and pg_hba.conf of the server',
  '3D000': 'create the database, or correct storage.postgres.url',
  53300: 'raise max_connections of the server, or go through a pooler',
  ECONNREFUSED: 'check host and port in storage.postgres.url, and that the server runs',
  ENOTFOUND: 'check the host in storage.postgres.url',
}

/** Returns what an operator can do; undefined when the message of the failure says it. */
function adviceOn({ sqlstate, cause }: PostgresError): string | undefined {
  const { code = '' } = cause as { readonly code?: string }
  return ADVICE[sqlstate] ?? ADVICE[sqlstate.slice(0, 2)] ?? ADVICE[code]
}

function clientOf({ tls, ...endpoint }: Endpoint, applicationName: string, timeoutMs: number): Client {
  const client = new Client({
    ...endpoint,
    ssl: tls !== undefined && sslOf(tls),
    application_name: applicationName,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  // A connection that fails before anybody listens must not end the thread.
  client.on('error', () => {})
  return client
}

function sslOf({ authority, isTrusted, isNamed }: NonNullable<Endpoint['tls']>): ConnectionOptions {
  return {
    rejectUnauthorized: isTrusted,
    ...(authority !== undefined && { ca: authority }),
    ...(!isNamed && { checkServerIdentity: () => undefined }),
  }
}

async function prepare(
  client: Client,
  { host, port }: Endpoint,
  session: ConnectPlan['session'],
): Promise<ServerIdentity> {
  if (Object.keys(session).length > 0) await client.query(settingStatement(session, false))
  const server = (await client.query<ServerRow>(SERVER_QUERY)).rows[0] as ServerRow
  const refusal = refusalOf(server)
  if (refusal !== undefined) throw new PostgresError(CONNECTION_FAILURE, `it cannot be used: ${refusal}`)
  const { system, timeline } = server
  return { host, port, system, timeline }
}

function toPostgresError(error: unknown, { host, port }: Endpoint): PostgresError {
  const { message, code } = error as Error & { code?: string }
  const sqlstate = error instanceof PostgresError ? error.sqlstate : error instanceof DatabaseError ? code : undefined
  return new PostgresError(sqlstate ?? CONNECTION_FAILURE, `${host}:${port}: ${message || code}`, { cause: error })
}
