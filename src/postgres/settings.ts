import { readFileSync } from 'node:fs'
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

/** One host and the login to it. Can be posted to another thread. */
export interface Endpoint {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: Tls | undefined
}

interface Tls {
  /** PEM; absent: the authorities that Node.js trusts. */
  readonly authority?: string
  /** The certificate is of a trusted authority. */
  readonly isTrusted: boolean
  /** The certificate names the host. */
  readonly isNamed: boolean
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
  const tls = tlsOf(searchParams, invalid)
  const decoded = (text: string) => decodedBy(text, invalid)
  return hosts.split(',').map((each) => {
    const { hostname, port } = parsed(`${scheme}${each}`, invalid)
    if (hostname === '') throw invalid('has a host without a name')
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    return {
      host,
      port: port === '' ? DEFAULT_PORT : Number(port),
      user: decoded(username),
      password: decoded(password),
      database: decoded(pathname.slice(1)) || decoded(username),
      tls,
    }
  })
}

const UNREADABLE = 'cannot be read: write special characters of the password as %XX'

function decodedBy(text: string, invalid: (why: string) => Error): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(UNREADABLE)
  }
}

function parsed(url: string, invalid: (why: string) => Error): URL {
  try {
    return new URL(url)
  } catch {
    // The error of URL repeats its input, which holds the password.
    throw invalid(UNREADABLE)
  }
}

function tlsOf(parameters: URLSearchParams, invalid: (why: string) => Error): Tls | undefined {
  const mode = parameters.get('sslmode') ?? 'disable'
  const file = parameters.get('sslrootcert')
  const trusted = { ...(file !== null && { authority: readAuthority(file, invalid) }), isTrusted: true }
  switch (mode) {
    case 'disable':
      return undefined
    case 'require':
      // As libpq does: with an authority at hand, it is as verify-ca.
      return file === null ? { isTrusted: false, isNamed: false } : { ...trusted, isNamed: false }
    case 'verify-ca':
      return { ...trusted, isNamed: false }
    case 'verify-full':
      return { ...trusted, isNamed: true }
    default:
      throw invalid(`has sslmode=${mode}: use disable, require, verify-ca or verify-full`)
  }
}

function readAuthority(file: string, invalid: (why: string) => Error): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw invalid(`names sslrootcert=${file}, which cannot be read: ${(error as Error).message}`)
  }
}
