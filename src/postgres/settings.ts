import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { CodedError } from '../domain/errors.ts'

/** The database that replicas share. */
export interface PostgresSettings {
  /** `postgres://user:password@host:port,host:port/database?sslmode=verify-full&sslrootcert=file`. Holds a secret. */
  readonly url: string
  /** A direct address for notifications; then `url` is one of a transaction pooler. '': `url`. */
  readonly listenUrl: string
  readonly schema: string
  readonly leaseMs: number
  /** Longest time that a statement or a commit may take, and a connection to be made. */
  readonly commitTimeoutMs: number
  /** True: the service is not ready while the server names no synchronous standby. */
  readonly requireSynchronous: boolean
}

/** Options of one host, without the password's file and the services of libpq. */
export interface Endpoint extends ClientConfig {
  readonly host: string
  readonly port: number
}

const DEFAULT_PORT = 5432

/**
 * Returns the hosts of a URL in their order. `sslmode`: `disable` (default), `require` (encrypted, any certificate),
 * `verify-ca`, `verify-full`; `sslrootcert`: file of trusted authorities. Throws config_invalid, without the password.
 */
export function endpointsOf(url: string): readonly Endpoint[] {
  const invalid = (why: string) => new CodedError('config_invalid', `the URL of PostgreSQL ${why}`)
  const [, scheme, login, hosts = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^@/]*@)?([^/?]*)(.*)$/.exec(url) ?? []
  if (scheme === undefined) throw invalid('must look like postgres://user:password@host:5432/database')
  const { username, password, pathname, searchParams } = parsed(`${scheme}${login ?? ''}host${rest}`, invalid)
  if (hosts === '') throw invalid('names no host')
  const ssl = tls(searchParams, invalid)
  return hosts.split(',').map((each) => {
    const { hostname, port } = parsed(`${scheme}${each}`, invalid)
    if (hostname === '') throw invalid('has a host without a name')
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    return {
      host,
      port: port === '' ? DEFAULT_PORT : Number(port),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username),
      ssl,
    }
  })
}

function parsed(url: string, invalid: (why: string) => Error): URL {
  try {
    return new URL(url)
  } catch {
    // The error of URL repeats its input, which holds the password.
    throw invalid('cannot be read: write special characters of the password as %XX')
  }
}

function tls(parameters: URLSearchParams, invalid: (why: string) => Error): NonNullable<ClientConfig['ssl']> {
  const mode = parameters.get('sslmode') ?? 'disable'
  const file = parameters.get('sslrootcert')
  const authorities = file === null ? {} : { ca: authority(file, invalid) }
  switch (mode) {
    case 'disable':
      return false
    case 'require':
      // As libpq does: with a trusted authority at hand, its name is checked.
      return file === null ? { rejectUnauthorized: false } : { ...authorities, checkServerIdentity: () => undefined }
    case 'verify-ca':
      return { ...authorities, checkServerIdentity: () => undefined }
    case 'verify-full':
      return authorities
    default:
      throw invalid(`has sslmode=${mode}: use disable, require, verify-ca or verify-full`)
  }
}

function authority(file: string, invalid: (why: string) => Error): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw invalid(`names sslrootcert=${file}, which cannot be read: ${(error as Error).message}`)
  }
}
