import type { Dispatcher } from 'undici'
import { CodedError } from '../../domain/errors.ts'
import { scrub } from '../../text/scrub.ts'
import type { Query, QueryRequest } from './contract.ts'

/** Larger than any page of 1,000 events of maximum length. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const MAX_ERROR_BYTES = 4_096

/**
 * Creates an HTTP client for log sources, with keep-alive. The first request loads undici and reads HTTPS_PROXY,
 * HTTP_PROXY and NO_PROXY.
 */
export function createQuery(): { readonly query: Query; close(): Promise<void> } {
  let client: Promise<Client> | undefined
  return {
    async query(asked) {
      client ??= openClient()
      return sendQuery(asked, await client)
    },
    async close() {
      await (await client)?.dispatcher.destroy()
    },
  }
}

interface Client {
  readonly request: typeof import('undici').request
  readonly dispatcher: Dispatcher
}

async function openClient(): Promise<Client> {
  const { EnvHttpProxyAgent, request } = await import('undici')
  return { request, dispatcher: new EnvHttpProxyAgent({ maxResponseSize: MAX_ANSWER_BYTES }) }
}

async function sendQuery(
  { url, headers, secrets, json, signal }: QueryRequest,
  { request, dispatcher }: Client,
): Promise<unknown> {
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      signal,
      method: json === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...(json !== undefined && JSON_TYPE), ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    if (statusCode === 200) return await body.json()
    const said = (await body.text()).slice(0, MAX_ERROR_BYTES)
    throw new CodedError('source_failed', scrub(`answered HTTP ${statusCode}: ${said}`, secrets))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CodedError) throw error
    throw new CodedError('source_failed', scrub(reasonOf(error), secrets), { cause: error })
  }
}
const JSON_TYPE = { 'content-type': 'application/json' }

/** Returns code and message of an error; an AggregateError of several addresses has no message. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ')
}
