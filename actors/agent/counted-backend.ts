import type { AnalysisBackend } from '../../src/analysis/contract.ts'
import type { AgentMeters } from '../../src/telemetry/meters.ts'

/** Counts and times the calls of a backend. */
export function countedBackend(backend: AnalysisBackend, meters: AgentMeters, elapsed: () => number): AnalysisBackend {
  return {
    async analyze(observation, signal) {
      const since = elapsed()
      try {
        const result = await backend.analyze(observation, signal)
        meters.answered.add()
        return result
      } catch (error) {
        meters.failed.add()
        throw error
      } finally {
        meters.callMs.record(elapsed() - since)
      }
    },
  }
}
