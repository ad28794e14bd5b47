import type { AnalysisBackend } from '../../src/analysis/contract.ts'
import type { AgentFigures } from '../../src/telemetry/meters.ts'

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
