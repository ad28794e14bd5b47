import type { Retry } from '../domain/delivery/delivery.ts'
import { scrub } from '../text/scrub.ts'
import type { PostAnswer, ReadContext } from './response-outcome.ts'

/** True for a 2xx status. Many providers report failures with one, in the body. */
export function accepted({ status }: PostAnswer): boolean {
  return status >= 200 && status < 300
}

/**
 * Returns the outcome of a success status whose body is not the provider's, such as a proxy's page or a cut answer: the
 * message may have arrived.
 */
export function unreadable({ status, body }: PostAnswer, { secrets }: ReadContext): Retry {
  const reason = scrub(`HTTP ${status} with an answer that cannot be read: ${body}`, secrets)
  return { kind: 'retry', reason, mayDuplicate: true }
}
