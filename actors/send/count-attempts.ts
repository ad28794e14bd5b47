import type { Handout, Settlement } from '../../src/domain/commit.ts'
import type { Attempt } from '../../src/domain/delivery.ts'
import type { Page, Told } from '../../src/domain/oncall.ts'
import { severityRung } from '../../src/domain/severity.ts'
import type { ChannelFigures, OncallFigures } from '../../src/telemetry/meters.ts'

/** One attempt that a sender made, and what it came to. */
export interface Attempted {
  readonly handout: Handout
  readonly attempt: Attempt
  readonly verdict: Settlement['verdict']
}

export function countAttempt(figures: ChannelFigures, { handout, attempt, verdict }: Attempted): void {
  figures.attempts[attempt.outcome].add()
  figures.renderMs.record(attempt.renderMs)
  figures.limiterWaitMs.record(attempt.limiterWaitMs)
  figures.providerMs.record(attempt.durationMs)
  if (attempt.renderFault !== undefined) figures.renderedPlain.add()
  if (verdict.state === 'pending') figures.retried.add()
  if (verdict.state === 'dead') figures.dead.add()
  if (verdict.state !== 'sent') return
  const confirmedMs = Math.max(0, attempt.startedAt + attempt.durationMs - handout.createdAt)
  figures.sent.add()
  figures.confirmedMs.record(confirmedMs)
  figures.confirmedMsBySeverity[severityRung(handout.severity)].record(confirmedMs)
}

/** Counts one attempt to tell the on-call provider something. */
export function countPage(figures: OncallFigures, { page, attempt, verdict }: Paged, now: number): void {
  figures.attempts[page.signal][attempt.outcome].add()
  if (page.signal !== 'trigger') return
  if (verdict.state === 'dead') figures.failed.add()
  if (verdict.state !== 'sent') return
  figures.paged.add()
  figures.lateMs.record(Math.max(0, now - page.dueAt))
}

export interface Paged {
  readonly page: Page
  readonly attempt: Attempt
  readonly verdict: Told['verdict']
}
