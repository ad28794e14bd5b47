import type { Outcome } from '../domain/delivery.ts'
import { CodedError } from '../domain/errors.ts'
import { scrub } from '../text/scrub.ts'

/** A provider's answer, whatever carried it. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
}

/** What reading an answer takes besides the answer. */
export interface ReadContext {
  /** What no reason may repeat. */
  readonly secrets: readonly string[]
  /** Epoch milliseconds, for dates in Retry-After. */
  readonly now: number
}

/** No answer came. `written`: the request had left, so it may have been processed. The message may still hold secrets. */
export class PostFailure extends CodedError {
  readonly written: boolean
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
 * The one place where an HTTP status becomes an outcome; providers that say more in the body are asked first.
 * @param message the provider's own, where its body holds them; else the body itself
 */
export function outcomeOfStatus(answer: HttpAnswer, { secrets, now }: ReadContext, message = answer.body): Outcome {
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status >= 300 && status < 400) return { kind: 'failed', reason: `HTTP ${status}: a redirect is not followed` }
  const reason = scrub(message.trim() === '' ? `HTTP ${status}` : `HTTP ${status}: ${message}`, secrets)
  if (!mayPass(status)) return { kind: 'failed', reason }
  const afterMs = retryAfterMs(answer.headers['retry-after'], now)
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs }
}

/** Request Timeout, Too Early and Too Many Requests pass with time, as does what is wrong on the provider's side. */
const mayPass = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500

/** Retry-After as seconds, with or without a fraction, or as an HTTP date; a date that has passed is 0, anything else absent. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  const written = value?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(written)) return Math.round(Number(written) * 1_000)
  const date = /[a-z]/i.test(written) ? Date.parse(written) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
