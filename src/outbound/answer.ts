import type { Retry } from '../domain/delivery.ts'
import { scrub } from '../text/scrub.ts'
import type { ReadContext } from './outcome.ts'
import type { PostAnswer } from './provider-client.ts'

/** A success by its status; half of the providers say no in its body. */
export function accepted({ status }: PostAnswer): boolean {
  return status >= 200 && status < 300
}

/** A success status with a body that is not the provider's (a proxy's page, a cut answer): nobody knows whether it was taken. */
export function unreadable({ status, body }: PostAnswer, { secrets }: ReadContext): Retry {
  const reason = scrub(`HTTP ${status} with an answer that cannot be read: ${body}`, secrets)
  return { kind: 'retry', reason, mayDuplicate: true }
}
