import { scrub } from '../text/scrub.ts'
import { ModelFailure } from './model.ts'

const MAX_REASON = 500

/** Returns the failure for an error of a request. No text of it holds the key. */
export function failureOf(error: unknown, { apiKey, signal }: { apiKey: string; signal: AbortSignal }): ModelFailure {
  if (error instanceof ModelFailure) return error
  if (signal.aborted) return new ModelFailure('timeout', 'the model did not answer in time')
  return new ModelFailure('failed', scrub(reasonOf(error), [apiKey]).slice(0, MAX_REASON))
}

/** Returns the messages of an error and its causes; the reason of a failed connection is in a cause. */
function reasonOf(error: unknown): string {
  const reasons: string[] = []
  for (let at = error; at instanceof Error && reasons.length < 4; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : ''
    reasons.push([code, at.message].filter((part) => part !== '').join(' '))
  }
  // Error messages of OpenAI contain parts of the key.
  return ([...new Set(reasons)].join(': ') || 'the call failed').replace(/\bsk-[^\s"']+/g, 'sk-***')
}
