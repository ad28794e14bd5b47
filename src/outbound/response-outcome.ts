import type { Outcome } from '../domain/delivery/delivery.ts'
import { CodedError } from '../domain/errors.ts'
import { scrub } from '../text/scrub.ts'

export interface PostAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
}

export interface ReadContext {
  /** Removed from reasons. */
  readonly secrets: readonly string[]
  /** Epoch milliseconds, for dates in Retry-After. */
  readonly now: number
}

/** A request without an answer, with code `provider_silent` or `provider_unreachable`. */
export class PostFailure extends CodedError {
  /** The request may have been processed: its connection was up. */
  readonly written: boolean
  /** May hold secrets of the request. */
  readonly reason: string
  constructor(written: boolean, reason: string, options?: ErrorOptions) {
    super(written ? 'provider_silent' : 'provider_unreachable', reason, options)
    this.name = 'PostFailure'
    this.written = written
    this.reason = reason
  }
}

export function outcomeOfFailure(failure: PostFailure, secrets: readonly string[]): Outcome {
  const reason = scrub(failure.reason, secrets)
  return failure.written ? { kind: 'retry', reason, mayDuplicate: true } : { kind: 'retry', reason }
}

/**
 * Returns the outcome of an edit, from that of its request. An edit can be repeated without harm, so it never may
 * duplicate, and its message keeps its id.
 */
export function outcomeOfEdit(outcome: Outcome, messageId: string): Outcome {
  if (outcome.kind === 'sent') return { ...outcome, messageId }
  return outcome.kind === 'retry' ? { ...outcome, mayDuplicate: false } : outcome
}

/**
 * Translates an HTTP status into an outcome, for all providers. Channels whose provider reports failures in the body
 * read that first.
 * @param message quoted in the reason: the provider's error message, else the body
 */
export function outcomeOfStatus(answer: PostAnswer, { secrets, now }: ReadContext, message = answer.body): Outcome {
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status >= 300 && status < 400) return { kind: 'failed', reason: `HTTP ${status}: a redirect is not followed` }
  const reason = scrub(message.trim() === '' ? `HTTP ${status}` : `HTTP ${status}: ${message}`, secrets)
  if (!mayPass(status)) return { kind: 'failed', reason }
  const afterMs = retryAfterMs(answer.headers['retry-after'], now)
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs }
}

/** True for Request Timeout, Too Early, Too Many Requests and server errors: they may pass with time. */
const mayPass = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500

/**
 * Reads Retry-After: seconds, with or without a fraction, or an HTTP date. Returns 0 for a date that has passed,
 * undefined for anything else.
 */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  const written = value?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(written)) return Math.round(Number(written) * 1_000)
  const date = /[a-z]/i.test(written) ? Date.parse(written) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
