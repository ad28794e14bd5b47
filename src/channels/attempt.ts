import type { Dispatch } from '../domain/commit.ts'
import type { Attempt, Outcome } from '../domain/delivery.ts'

/** What was measured around one send. */
export interface Measured
  extends Pick<Attempt, 'startedAt' | 'durationMs' | 'renderMs' | 'limiterWaitMs' | 'connectedMs'> {
  /** Why the message went out as plain text. */
  readonly fault?: string
}

/** The line of the ledger. */
export function attemptOf(
  { attempt, mayDuplicate, dispatchedAt }: Dispatch,
  outcome: Outcome,
  measured: Measured,
): Attempt {
  const { startedAt, durationMs, renderMs, limiterWaitMs, connectedMs, fault } = measured
  return {
    number: attempt,
    startedAt,
    durationMs,
    outcome: outcome.kind,
    detail: outcome.kind === 'sent' ? (outcome.note ?? '') : outcome.reason,
    ...(outcome.kind === 'sent' && outcome.messageId !== undefined ? { messageId: outcome.messageId } : {}),
    mayDuplicate: mayDuplicate || (outcome.kind === 'retry' && outcome.mayDuplicate === true),
    ...(fault === undefined ? {} : { renderFault: fault }),
    dispatchedAt,
    renderMs,
    limiterWaitMs,
    ...(connectedMs === undefined ? {} : { connectedMs }),
  }
}
