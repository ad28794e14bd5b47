import { CodedError } from '../../domain/errors.ts'
import type { HttpClient } from '../../outbound/http-client.ts'
import { errorText } from '../../text/error-text.ts'
import { scrub } from '../../text/scrub.ts'
import type { Query, QueryRequest } from './contract.ts'

/** Larger than any page of 1,000 events of maximum length. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Part of an error answer that the error's message quotes. */
const MAX_QUOTED = 4_096
const JSON_TYPE = { 'content-type': 'application/json' }

/**
 * Creates an HTTP client for log sources, with keep-alive. The first request loads undici and reads HTTPS_PROXY,
 * HTTP_PROXY and NO_PROXY.
 */
export function createQuery(): { readonly query: Query; close(): Promise<void> } {
  let client: Promise<HttpClient> | undefined
  return {
    async query(asked) {
      client ??= loadClient()
      return sendQuery(asked, await client)
    },
    async close() {
      await (await client)?.destroy()
    },
  }
}

async function loadClient(): Promise<HttpClient> {
  const { openHttpClient } = await import('../../outbound/http-client.ts')
  return openHttpClient()
}

async function sendQuery({ url, headers, secrets, json, signal }: QueryRequest, client: HttpClient): Promise<unknown> {
  try {
    const { status, body } = await client.send({
      url,
      method: json === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...(json !== undefined && JSON_TYPE), ...headers },
      body: json === undefined ? null : JSON.stringify(json),
      signal,
      maxBytes: MAX_ANSWER_BYTES,
      whenLonger: 'fail',
    })
    if (status === 200) return JSON.parse(body.toString())
    throw new CodedError(
      'source_failed',
      scrub(`answered HTTP ${status}: ${body.toString('utf8', 0, MAX_QUOTED)}`, secrets),
    )
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CodedError) throw error
    throw new CodedError('source_failed', scrub(errorText(error), secrets), { cause: error })
  }
}

interface Credentials {
  /** Authorization scheme of the key. A key takes precedence over user name and password. */
  readonly scheme: string
  readonly key: string
  readonly username: string
  readonly password: string
  /** Addresses of the source; they may contain a password. */
  readonly addresses: readonly string[]
}

/** Returns the headers that authenticate a request, and the secrets that no error message may contain. */
export function authHeadersOf({ scheme, key, username, password, addresses }: Credentials) {
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  const secrets = [key, password, ...(password === '' ? [] : [pair]), ...addresses.map(passwordIn)]
  const login: { [name: string]: string } = username === '' ? {} : { authorization: `Basic ${pair}` }
  return { headers: key === '' ? login : { authorization: `${scheme} ${key}` }, secrets }
}

const passwordIn = (address: string) => URL.parse(address)?.password ?? ''
