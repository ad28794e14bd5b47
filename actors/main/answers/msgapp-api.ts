import type { MsgappOptions } from '../../../src/channels/kinds/msgapp.ts'
import { backoffMs } from '../../../src/domain/delivery/backoff.ts'
import { isObject, parseObject } from '../../../src/text/json-object.ts'
import type { ReceiverDeps } from './receiver.ts'

const CONFLICT = 409
const TAKEN = 0
/**
 * Codes that stay until an operator changes something. Telegram answers 404 to a token that never was one, and 400 to a
 * webhook that it cannot call.
 */
const REFUSED: ReadonlySet<number> = new Set([TAKEN, 400, 401, 404, CONFLICT])

const REFUSED_MS = 300_000
const CONFLICTS = { initialMs: 30_000, maxMs: REFUSED_MS }
const RETRY = { initialMs: 1_000, maxMs: 30_000 }

/** Why Telegram did not do what it was asked for. */
export class TelegramError extends Error {
  readonly code: number
  /** Telegram wants to be asked again after so many milliseconds. */
  readonly afterMs: number
  constructor(code: number, why: string, afterMs = 0) {
    super(why)
    this.name = 'TelegramError'
    this.code = code
    this.afterMs = afterMs
  }
}

/** Returns why the bot cannot be used. `url`: the webhook of another program; '': it has deleted ours. */
export const takenBy = (url: string): TelegramError =>
  new TelegramError(TAKEN, `another program has the bot, with the webhook ${URL.parse(url)?.host ?? 'none'}`)

/** Returns the state after the n-th failure in a row, and when to try again. */
export function afterFailure(error: unknown, failures: number) {
  const { code = -1, afterMs = 0 } = error instanceof TelegramError ? error : {}
  if (code === CONFLICT) return { state: 'refused', ms: backoffMs(failures, CONFLICTS) } as const
  if (REFUSED.has(code)) return { state: 'refused', ms: REFUSED_MS } as const
  return { state: 'backing_off', ms: Math.max(Math.min(afterMs, REFUSED_MS), backoffMs(failures, RETRY)) } as const
}

interface CallOptions {
  readonly signal: AbortSignal
  /** Default: 10 s. */
  readonly withinMs?: number
  /** Bound of the answer. Default: 64 KiB. */
  readonly maxBytes?: number
}

export type BotApi = ReturnType<typeof botApi>

/** Returns what calls a method of the Bot API. It rejects with `TelegramError`, and with `HttpFailure` without an answer. */
export const botApi =
  ({ apiUrl, token }: MsgappOptions, { http }: Pick<ReceiverDeps, 'http'>) =>
  async (method: string, json: object, { signal, withinMs = 10_000, maxBytes = 65_536 }: CallOptions) => {
    const { status, body } = await http.send({
      url: `${apiUrl}/bot${token}/${method}`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(json),
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
      maxBytes,
      whenLonger: 'fail',
    })
    const { ok, result, error_code, description, parameters } = parseObject(body.toString()) ?? {}
    if (status === 200 && ok === true) return result
    const seconds = isObject(parameters) ? Number(parameters.retry_after) : 0
    throw new TelegramError(
      typeof error_code === 'number' ? error_code : status,
      typeof description === 'string' ? description : `HTTP ${status}`,
      (seconds || 0) * 1_000,
    )
  }
