import type { Attempt, Outcome } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch } from '../../src/domain/delivery/dispatch.ts'

/** Times of one attempt, and the error of its template. */
interface Measured extends Pick<Attempt, 'startedAt' | 'durationMs' | 'renderMs' | 'limiterWaitMs' | 'connectedMs'> {
  /** Why the message went out as plain text. */
  readonly renderFailure: string | undefined
}

/** Returns the ledger's record of one attempt. */
export function attemptOf(dispatch: Dispatch, outcome: Outcome, measured: Measured): Attempt {
  const { attempt, mayDuplicate, dispatchedAt } = dispatch
  const { startedAt, durationMs, renderMs, limiterWaitMs, connectedMs, renderFailure } = measured
  return {
    number: attempt,
    startedAt,
    durationMs,
    outcome: outcome.kind,
    detail: detailOf(dispatch, outcome),
    ...(outcome.kind === 'sent' && outcome.messageId !== undefined ? { messageId: outcome.messageId } : {}),
    mayDuplicate: mayDuplicate || (outcome.kind === 'retry' && outcome.mayDuplicate === true),
    ...(renderFailure === undefined ? {} : { renderFailure }),
    dispatchedAt,
    renderMs,
    limiterWaitMs,
    ...(connectedMs === undefined ? {} : { connectedMs }),
  }
}

/** Returns the detail of an attempt; that of a page names its signal. */
function detailOf(dispatch: Dispatch, outcome: Outcome): string {
  const reason = outcome.kind === 'sent' ? outcome.note : outcome.reason
  if (dispatch.kind !== 'page') return reason ?? ''
  return reason === undefined ? dispatch.signal : `${dispatch.signal}: ${reason}`
}
