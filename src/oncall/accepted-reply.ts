import type { Outcome } from '../domain/delivery.ts'
import { accepted, unreadable } from '../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../outbound/response-outcome.ts'
import { parseObject } from '../text/json-object.ts'

/**
 * Reads the answer of a provider that answers 202, or `"status": "success"`. Any other 2xx is from a program in
 * between, such as a proxy: a retry that may duplicate.
 */
export function acceptedReply(answer: PostAnswer, context: ReadContext): Outcome {
  if (answer.status === 202 || !accepted(answer)) return outcomeOfStatus(answer, context)
  return parseObject(answer.body)?.status === 'success' ? { kind: 'sent' } : unreadable(answer, context)
}
