import type { Explanation } from './analyst.ts'
import type { Observation } from './contract.ts'

/** Value of `Source` that templates test for. */
const LABEL = 'AI Agent'
const MAX_LOGS = 4_000

/** Returns the payload of an agent incident. */
export function incidentOf(observation: Observation, { finding, by, note }: Explanation) {
  const { title, summary, severity, category, confidence, suggestions } = finding
  return {
    Source: LABEL,
    AgentSource: observation.source,
    AlertName: title,
    Summary: note === '' ? summary : `${summary} (${note})`,
    Severity: severity,
    Category: category,
    Confidence: confidence,
    Suggestions: suggestions,
    PatternID: observation.patternId,
    PatternTemplate: observation.template,
    Frequency: observation.frequency,
    Baseline: Math.round(observation.baseline * 100) / 100,
    Verdict: observation.verdict,
    ServiceName: observation.service,
    Logs: observation.samples.join('\n').slice(0, MAX_LOGS),
    Status: 'firing',
    AnalysedBy: by,
    FirstSeen: observation.firstSeen,
    Count: observation.count,
  }
}
