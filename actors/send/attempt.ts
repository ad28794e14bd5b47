import type { Attempt, DispatchVerdict, Outcome } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch } from '../../src/domain/delivery/dispatch.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { isoTime } from '../../src/text/iso-time.ts'

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

/** Texts of the log about an attempt, by what becomes of it. */
interface Words {
  readonly sent: string
  readonly again: string
  readonly dead: string
}

interface Tried {
  readonly attempt: Attempt
  readonly verdict: DispatchVerdict
  /** Of an attempt that did not fail. */
  readonly level?: 'debug' | 'info'
}

/** Logs an attempt. `of` names what was sent. */
export function logAttempt(log: Log, of: object, { attempt, verdict, level = 'info' }: Tried, words: Words): void {
  const { number, outcome, detail, durationMs, mayDuplicate } = attempt
  const fields = { ...of, attempt: number, outcome, detail, durationMs: Math.round(durationMs), mayDuplicate }
  if (verdict.state === 'pending') log.warn({ ...fields, againAt: isoTime(verdict.at) }, words.again)
  else if (verdict.state === 'dead') log.error({ ...fields, reason: verdict.reason }, words.dead)
  else log[level](fields, words.sent)
}
