import type { AnalysisBackend } from '../src/analysis/contract.ts'
import type { Handout, Settlement } from '../src/domain/commit.ts'
import type { Attempt } from '../src/domain/delivery.ts'
import type { Page, Told } from '../src/domain/oncall.ts'
import { severityRung } from '../src/domain/severity.ts'
import type { Store } from '../src/store/store.ts'
import type {
  AgentFigures,
  ChannelFigures,
  IngestFigures,
  OncallFigures,
  StoreFigures,
} from '../src/telemetry/figures.ts'
import type { IngestCounts } from './ingest.ts'

export function ingestCounts({ accepted, duplicates, commitMs, batch }: IngestFigures): IngestCounts {
  return {
    batch(incidents, ms) {
      batch.record(incidents)
      commitMs.record(ms)
    },
    accepted: (source, incidents) => accepted[source].add(incidents),
    duplicate: () => duplicates.add(),
  }
}

interface Timing {
  readonly figures: StoreFigures
  elapsed(): number
  wrote(ms: number): void
}

/** The store with its transactions timed. */
export function timed(store: Store, { figures, elapsed, wrote }: Timing): Store {
  return {
    ...store,
    write(work) {
      const since = elapsed()
      try {
        return store.write(work)
      } catch (error) {
        figures.failedWrites.add()
        throw error
      } finally {
        const ms = elapsed() - since
        figures.writeMs.record(ms)
        wrote(ms)
      }
    },
  }
}

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

/** The backend with its calls counted. */
export function countedBackend(
  backend: AnalysisBackend,
  figures: AgentFigures,
  elapsed: () => number,
): AnalysisBackend {
  return {
    async analyze(observation, signal) {
      const since = elapsed()
      try {
        const result = await backend.analyze(observation, signal)
        figures.answered.add()
        return result
      } catch (error) {
        figures.failed.add()
        throw error
      } finally {
        figures.callMs.record(elapsed() - since)
      }
    },
  }
}
