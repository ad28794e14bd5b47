import type { HttpResponse } from 'uWebSockets.js'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'

/** An answer in the form in which it is sent. Made once, sent many times. */
export interface Reply {
  /** Status line and headers, without the last line break. */
  readonly head: Uint8Array
  readonly body: Uint8Array
  /** The error that it reports. */
  readonly code?: ErrorCode
}

export interface ReplyHeaders {
  readonly [name: string]: string
}

const SECURITY: ReplyHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}
export const NO_STORE: ReplyHeaders = { 'Cache-Control': 'no-store' }
/** For requests whose body is not read: makes the client stop sending. */
const HANG_UP: ReplyHeaders = { Connection: 'close' }

/** Not imported: an import of `node:http` reads all its exports, and one of them loads a whole client. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

const HEADER = /^[A-Za-z0-9-]+: [\x20-\x7e]*$/

/**
 * `headers` replace security headers of the same name. Throws when a header contains a line break or other control
 * characters.
 */
export function makeReply(status: number, body: string | Uint8Array, headers: ReplyHeaders): Reply {
  const lines = Object.entries({ ...SECURITY, ...headers }).map(([name, value]) => `${name}: ${value}`)
  const bad = lines.find((line) => !HEADER.test(line))
  if (bad !== undefined) throw new Error(`not a header: ${JSON.stringify(bad)}`)
  const head = [`${status} ${STATUS_CODES[status] ?? 'Unknown'}`, ...lines].join('\r\n')
  return { head: Buffer.from(head), body: typeof body === 'string' ? Buffer.from(body) : body }
}

export function jsonReply(status: number, json: unknown, headers: ReplyHeaders = {}): Reply {
  return makeReply(status, JSON.stringify(json), { 'Content-Type': 'application/json', ...headers })
}

/** Returns the answer of an error code. `message` replaces the text of the catalogue. */
export function errorReply(code: ErrorCode, message: string = ERRORS[code].message, headers: ReplyHeaders = {}): Reply {
  return { ...jsonReply(ERRORS[code].status, { error: message }, { ...headersOf(code), ...headers }), code }
}

/** The answers of all error codes, with the texts of the catalogue. */
export const ERROR_REPLIES = Object.fromEntries(
  Object.keys(ERRORS).map((code) => [code, errorReply(code as ErrorCode)]),
) as Readonly<Record<ErrorCode, Reply>>

function headersOf(code: ErrorCode): ReplyHeaders {
  if (code === 'shutting_down') return { ...retryAfter(2), ...HANG_UP }
  if (code === 'body_too_large') return HANG_UP
  if (code === 'unsupported_encoding') return { 'Accept-Encoding': 'gzip' }
  if (code === 'storage_full') return retryAfter(10)
  return ERRORS[code].status === 503 ? retryAfter(1) : {}
}

export function retryAfter(seconds: number): ReplyHeaders {
  return { 'Retry-After': String(seconds) }
}

/**
 * Returns the answer of an error with a code of the catalogue, undefined for other errors. Looks at the code alone:
 * errors from other threads lose their class.
 */
export function replyOf(error: unknown): Reply | undefined {
  if (!(error instanceof Error)) return undefined
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
    ? errorReply(code as ErrorCode, error.message)
    : undefined
}

const INCIDENT_ID = Buffer.from('X-Incident-Id')

/**
 * Sends an answer. Must be called inside a cork or a route's handler. Passes status line and headers in one call,
 * because each call into uWebSockets.js is slow.
 */
export function send(res: HttpResponse, reply: Reply, incidentId?: string): void {
  res.writeStatus(reply.head)
  if (incidentId !== undefined) res.writeHeader(INCIDENT_ID, incidentId)
  res.end(reply.body)
}

/**
 * Sends the answer to a HEAD request. Writes Content-Length as a header: given a length, `endWithoutBody` would wait
 * for a body.
 */
export function sendHead(res: HttpResponse, reply: Reply): void {
  res.writeStatus(reply.head).writeHeader('Content-Length', String(reply.body.length)).endWithoutBody()
}
