import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'
import { loadConfig } from '../config/load.ts'
import { ERRORS } from '../domain/errors.ts'
import { errorText } from '../text/error-text.ts'
import { visible } from '../text/visible.ts'
import { ServiceError, UsageError } from './command.ts'
import { CONFIG } from './define-command.ts'

/** Address and secret of a running service. */
export interface Service {
  /** Without a slash at the end. */
  readonly url: string
  readonly secret: string
  /** undici's dispatcher for requests to it; uses a proxy for addresses of `--url`. */
  readonly dispatcher: Dispatcher
}

/** Options of commands that call a running service. */
export const SERVICE = {
  url: {
    value: 'URL',
    description: 'address of the service; default: this machine, with the port of the configuration',
  },
  config: CONFIG,
} as const

/**
 * Returns the address and secret of the service. The secret is never an option, because the process list shows options.
 * Throws a ServiceError when there is no secret, a UsageError for a wrong address, config_invalid.
 */
export function serviceOf({ url, config: file }: { url: string | undefined; config: string | undefined }): Service {
  const there = (secret: string, address: string) => ({
    url: addressOf(address),
    secret,
    dispatcher: new EnvHttpProxyAgent(),
  })
  if (url !== undefined && process.env.GATEWAY_SECRET) return there(process.env.GATEWAY_SECRET, url)
  const { gatewaySecret: secret, host, port } = loadConfig({ file, env: process.env }).config
  if (secret === '')
    throw new ServiceError('the gateway secret is missing: set GATEWAY_SECRET, or gateway_secret in the configuration')
  if (url !== undefined) return there(secret, url)
  return { url: `http://${hostOf(host)}:${port}`, secret, dispatcher: new Agent() }
}

/** Returns the address of `--url`, without a slash at its end. Throws a UsageError. */
export function addressOf(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError(`--url ${url} is not an http(s) address`)
  return url.replace(/\/+$/, '')
}

/** Returns the loopback address for a service that listens on all addresses. */
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/**
 * Calls the admin API and returns the parsed answer. Rejects with a ServiceError. Follows no redirect, because the
 * secret would be sent to another address.
 */
export async function callApi<Answer>(
  service: Service,
  path: string,
  { method = 'GET', json }: { readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'; readonly json?: unknown } = {},
): Promise<Answer> {
  const { url, secret, dispatcher } = service
  const headers = { 'X-Gateway-Secret': secret, ...(json === undefined ? {} : { 'Content-Type': 'application/json' }) }
  const body = json === undefined ? null : JSON.stringify(json)
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const { status, text } = await fetch(url + path, { method, headers, body, signal, dispatcher, redirect: 'manual' })
    .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
    .catch((error) => {
      throw new ServiceError(
        `${url} cannot be reached: ${reasonOf(error)}; start the service there, or give its address with --url`,
        undefined,
        { cause: error },
      )
    })
  if (status >= 200 && status < 300) return JSON.parse(text) as Answer
  throw new ServiceError(`${url} ${refusedError(status, text)}`, status)
}
const REQUEST_TIMEOUT_MS = 30_000

/** Returns the code or message of the network error, which is the cause of fetch's own error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  return code ?? errorText(cause)
}

function refusedError(status: number, text: string): string {
  if (status === 401)
    return 'refuses the secret: it has another one than GATEWAY_SECRET, or gateway_secret of the configuration, here'
  if (status === 404 && errorIn(text) === ERRORS.not_found.message)
    return 'does not have that path: its gateway_secret is not set, or its version is another one'
  if (status >= 300 && status < 400)
    return `answered ${status}, a redirect, which is not followed: give the address that it leads to`
  return `answered ${status}: ${errorIn(text)}`
}

function errorIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return visible(typeof error === 'string' ? error : text.slice(0, 200))
  } catch {
    return visible(text.slice(0, 200))
  }
}
