import type { Dispatch } from '../domain/commit.ts'
import type { Attempt, Outcome } from '../domain/delivery.ts'

/** Times of one attempt, and the error of its template. */
interface Measured extends Pick<Attempt, 'startedAt' | 'durationMs' | 'renderMs' | 'limiterWaitMs' | 'connectedMs'> {
  /** Why the message went out as plain text. */
  readonly renderFailure: string | undefined
}

/** Returns the ledger's record of one attempt. */
export function attemptOf(
  { attempt, mayDuplicate, dispatchedAt }: Dispatch,
  outcome: Outcome,
  measured: Measured,
): Attempt {
  const { startedAt, durationMs, renderMs, limiterWaitMs, connectedMs, renderFailure } = measured
  return {
    number: attempt,
    startedAt,
    durationMs,
    outcome: outcome.kind,
    detail: outcome.kind === 'sent' ? (outcome.note ?? '') : outcome.reason,
    ...(outcome.kind === 'sent' && outcome.messageId !== undefined ? { messageId: outcome.messageId } : {}),
    mayDuplicate: mayDuplicate || (outcome.kind === 'retry' && outcome.mayDuplicate === true),
    ...(renderFailure === undefined ? {} : { renderFailure }),
    dispatchedAt,
    renderMs,
    limiterWaitMs,
    ...(connectedMs === undefined ? {} : { connectedMs }),
  }
}
