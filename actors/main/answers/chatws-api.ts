import { backoffMs, fullJitterMs } from '../../../src/domain/delivery/backoff.ts'
import { retryAfterMs } from '../../../src/outbound/response-outcome.ts'
import { type JsonObject, parseObject } from '../../../src/text/json-object.ts'
import { scrub } from '../../../src/text/scrub.ts'
import type { ReceiverDeps, ReceiverState } from './receiver.ts'

/** Errors that stay until an operator changes something at Slack or in the configuration. */
const FINAL = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'access_denied',
  'org_login_required',
  'forbidden_team',
  'link_disabled',
])

const REFUSED_MS = 300_000
const CROWDED = { initialMs: 60_000, maxMs: 600_000 }
const RETRY = { initialMs: 1_000, maxMs: 30_000 }

/** Why Slack did not do what it was asked for, or ends a connection. */
export class SlackError extends Error {
  readonly code: string
  /** Slack wants to be asked again after so many milliseconds; absent: it names no time. */
  readonly afterMs: number | undefined
  constructor(code: string, afterMs?: number) {
    super(code)
    this.name = 'SlackError'
    this.code = code
    this.afterMs = afterMs
  }
}

export const stateAfter = (error: unknown): ReceiverState['state'] =>
  error instanceof SlackError && FINAL.has(error.code) ? 'refused' : 'backing_off'

/** Returns the delay after the n-th failure in a row, in milliseconds. @param random uniform in [0, 1) */
export function retryMs(error: unknown, failures: number, random: number): number {
  if (stateAfter(error) === 'refused') return REFUSED_MS
  const { code, afterMs = 0 } = error instanceof SlackError ? error : {}
  if (code === 'too_many_websockets') return backoffMs(failures, CROWDED)
  return Math.max(afterMs, fullJitterMs(failures, RETRY, random))
}

const DEADLINE_MS = 10_000
const MAX_BYTES = 64 * 1024

export type SlackApi = ReturnType<typeof slackApi>

/** Returns what calls a method of the Web API. It rejects with `SlackError`, and with `HttpFailure` without an answer. */
export function slackApi(apiUrl: string, { http, clock }: Pick<ReceiverDeps, 'http' | 'clock'>) {
  return async (
    method: string,
    token: string,
    { json = {}, signal = AbortSignal.timeout(DEADLINE_MS) }: { json?: object; signal?: AbortSignal } = {},
  ): Promise<JsonObject> => {
    const { status, headers, body } = await http.send({
      url: `${apiUrl}/api/${method}`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(json),
      signal,
      maxBytes: MAX_BYTES,
      whenLonger: 'cut',
    })
    const answer = parseObject(body.toString())
    if (status === 200 && answer?.ok === true) return answer
    const code = typeof answer?.error === 'string' ? scrub(answer.error, [token]) : `HTTP ${status}`
    throw new SlackError(code, retryAfterMs(headers['retry-after'], clock.now()))
  }
}
