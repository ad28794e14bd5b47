import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'
import { loadConfig } from '../config/load.ts'
import { visible } from '../text/visible.ts'
import { ServiceError, UsageError } from './command.ts'

/** A running service, as the commands reach it. */
export interface Service {
  /** Without a slash at the end. */
  readonly url: string
  readonly secret: string
  /** What connections to it go through. */
  readonly dispatcher: Dispatcher
}

/** The options that lead to a running service. */
export const SERVICE = {
  url: { value: 'URL', description: 'where the service is; else the port of the configuration, on this machine' },
} as const

/** The secret is never an option: the process list shows those. */
export function serviceOf({ url, config: file }: { url: string | undefined; config: string | undefined }): Service {
  const secret = process.env.GATEWAY_SECRET
  if (url !== undefined && secret) return { url: addressOf(url), secret, dispatcher: new EnvHttpProxyAgent() }
  const { config } = loadConfig({ file, env: process.env })
  if (config.gatewaySecret === '')
    throw new ServiceError('no secret is known: set GATEWAY_SECRET, or gateway_secret in the configuration')
  if (url !== undefined)
    return { url: addressOf(url), secret: config.gatewaySecret, dispatcher: new EnvHttpProxyAgent() }
  const here = `http://${hostOf(config.host)}:${config.port}`
  return { url: here, secret: config.gatewaySecret, dispatcher: new Agent() }
}

function addressOf(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError(`--url ${url} is not an http(s) address`)
  return url.replace(/\/+$/, '')
}

/** A service that listens everywhere is here too. */
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

interface ApiCall {
  readonly method?: 'GET' | 'POST'
  readonly json?: unknown
}

/** The answer's JSON, or a ServiceError. No redirect is followed: the secret would go along. */
export async function callApi(
  service: Service,
  path: string,
  { method = 'GET', json }: ApiCall = {},
): Promise<unknown> {
  const { url, secret, dispatcher } = service
  const headers = { 'X-Gateway-Secret': secret, ...(json === undefined ? {} : { 'Content-Type': 'application/json' }) }
  const body = json === undefined ? null : JSON.stringify(json)
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const { status, text } = await fetch(url + path, { method, headers, body, signal, dispatcher, redirect: 'manual' })
    .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
    .catch((error) => {
      throw new ServiceError(`${url} cannot be reached: ${reasonOf(error)}`, undefined, { cause: error })
    })
  if (status >= 200 && status < 300) return JSON.parse(text)
  throw new ServiceError(`${url} ${refusedError(status, text)}`, status)
}
const REQUEST_TIMEOUT_MS = 30_000

/** The network's reason lies below fetch's own. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause)
}

function refusedError(status: number, text: string): string {
  if (status === 401)
    return 'refuses the secret: GATEWAY_SECRET, or gateway_secret of the configuration, is another there'
  if (status === 404) return 'has no such path: it has no gateway_secret, or is of another version'
  if (status >= 300 && status < 400)
    return `answered ${status}: a redirect is not followed; give the address that it leads to`
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
