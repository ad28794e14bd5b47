import type { Attempt, DispatchVerdict } from '../../src/domain/delivery/delivery.ts'
import type { GatewayPage, MessageDispatch, Page } from '../../src/domain/delivery/dispatch.ts'
import { severityLevel } from '../../src/domain/severity.ts'
import type { ChannelMeters, OncallMeters } from '../../src/telemetry/meters.ts'

/** One attempt of a sender and its verdict. */
interface Attempted {
  readonly dispatch: MessageDispatch
  readonly attempt: Attempt
  readonly verdict: DispatchVerdict
}

export function countAttempt(meters: ChannelMeters, { dispatch, attempt, verdict }: Attempted): void {
  meters.attempts[attempt.outcome].add()
  meters.renderMs.record(attempt.renderMs)
  meters.limiterWaitMs.record(attempt.limiterWaitMs)
  meters.providerMs.record(attempt.durationMs)
  if (attempt.renderFailure !== undefined) meters.renderedPlain.add()
  if (verdict.state === 'pending') meters.retried.add()
  if (verdict.state === 'dead') meters.dead.add()
  if (verdict.state !== 'sent') return
  const confirmedMs = Math.max(0, attempt.startedAt + attempt.durationMs - dispatch.createdAt)
  meters.sent.add()
  // An edit after an answer tells of an incident that was told long ago.
  if (dispatch.kind === 'follow-up' && dispatch.edits !== undefined) return
  meters.confirmedMs.record(confirmedMs)
  meters.confirmedMsBySeverity[severityLevel(dispatch.severity)].record(confirmedMs)
}

/** Counts a message to a person that was sent, or is given up. */
export function countPersonal(
  { personal }: OncallMeters,
  way: keyof OncallMeters['personal'],
  { dispatch: { notice }, verdict: { state } }: { readonly dispatch: Noticed; readonly verdict: DispatchVerdict },
): void {
  if (notice?.kind === 'page' && notice.person !== undefined && (state === 'sent' || state === 'dead'))
    personal[way][state].add()
}
type Noticed = Pick<MessageDispatch | GatewayPage, 'notice'>

/** Counts one attempt to send a page to the on-call provider. `now`: epoch milliseconds. */
export function countPage(meters: OncallMeters, { page, attempt, verdict }: Paged, now: number): void {
  meters.attempts[page.signal][attempt.outcome].add()
  if (page.signal !== 'trigger') return
  if (verdict.state === 'dead') meters.failed.add()
  if (verdict.state !== 'sent') return
  meters.paged.add()
  meters.lateMs.record(Math.max(0, now - page.dueAt))
}

interface Paged {
  readonly page: Page
  readonly attempt: Attempt
  readonly verdict: DispatchVerdict
}
