import { createHash } from 'node:crypto'
import type { Outcome } from '../domain/delivery/delivery.ts'
import type { Page } from '../domain/delivery/dispatch.ts'
import { accepted, unreadable } from '../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../outbound/response-outcome.ts'
import { graphemeStart } from '../text/graphemes.ts'
import { parseObject } from '../text/json-object.ts'

/** A page counts as on time up to this delay, which claiming and connecting may take. */
const PUNCTUAL_MS = 1_000
/** From this delay on, the summary says how late the page is. */
const NOTABLE_MS = 30_000

/** Returns the delay of a trigger after its due time; 0 when it is on time. */
export function lateMs({ dueAt, signal }: Page, now: number): number {
  const late = now - dueAt
  return signal === 'trigger' && late > PUNCTUAL_MS ? late : 0
}

/** Returns the title for the on-call person, with the delay if it is notable, in at most `max` UTF-16 units. */
export function summaryOf(page: Page, { now, max }: { now: number; max: number }): string {
  const late = lateMs(page, now)
  const mark = late < NOTABLE_MS ? '' : ` (${spanOf(late)} late)`
  return graphemeStart(page.title, max - mark.length) + mark
}

function spanOf(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 120) return minutes < 1 ? 'under a minute' : `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

/** Returns the parsed payload; undefined when the page has none. */
export function payloadOf({ content }: Page): unknown {
  return content === undefined ? undefined : JSON.parse(new TextDecoder().decode(content))
}

/** Characters that need no escaping in any provider's query. */
const PLAIN = /^[\w.:/@-]+$/

/** Returns the fingerprint if it is plain and at most `max` characters long, else a digest of it (SHA-256, 40 digits). */
export function dedupKeyOf(fingerprint: string, max: number): string {
  return fingerprint.length <= max && PLAIN.test(fingerprint) ? fingerprint : digestOf(fingerprint)
}

/** Returns a digest of the fingerprint: 40 hexadecimal digits. */
export function digestOf(fingerprint: string): string {
  return createHash('sha256').update(fingerprint).digest('hex').slice(0, 40)
}

/**
 * Reads the answer of a provider that answers 202, or `"status": "success"`. Any other 2xx is from a program in
 * between, such as a proxy: a retry that may duplicate.
 */
export function acceptedReply(answer: PostAnswer, context: ReadContext): Outcome {
  if (answer.status === 202 || !accepted(answer)) return outcomeOfStatus(answer, context)
  return parseObject(answer.body)?.status === 'success' ? { kind: 'sent' } : unreadable(answer, context)
}
