import type { AnalysisFinding, Observation, Severity } from './contract.ts'
import { boundedLine } from './finding.ts'

/** Patterns of words that indicate a severity, the highest first. */
const LEVELS: readonly (readonly [RegExp, Severity])[] = [
  [/\b(?:fatal|panic|emerg(?:ency)?|crit(?:ical)?|out of memory|oom-kill|segfault|data loss)/i, 'high'],
  [/\b(?:err(?:or)?|exception|fail(?:ed|ure)?|refused|denied|timed? ?out)/i, 'medium'],
]
const MAX_TITLE = 120

/** Returns a finding without a model, from the observation alone. */
export function ruleBasedFinding(observation: Observation): AnalysisFinding {
  const { verdict, patternId, template, service, source, samples } = observation
  const line = boundedLine(samples[0] ?? template, MAX_TITLE)
  const shown = boundedLine(template, MAX_TITLE)
  const what = verdict === 'spike' ? 'Far more than usual' : 'Never seen before'
  const where = service === source ? source : `${service} (${source})`
  return {
    title: `${what} in ${service}: ${shown}`,
    summary: `${what} in the logs of ${where}: ${frequencyText(observation)}. Not analysed by a model.`,
    severity: severityOf(samples.length > 0 ? samples.join('\n') : template),
    category: 'other',
    confidence: verdict === 'spike' ? 0.7 : 0.5,
    suggestions: [
      `Look at the logs of ${service} around ${line}`,
      `If this is normal, say so: POST /api/agent/patterns/${patternId} {"verdict":"known"}`,
    ],
  }
}

function severityOf(text: string): Severity {
  return LEVELS.find(([words]) => words.test(text))?.[1] ?? 'low'
}

function frequencyText({ verdict, frequency, baseline, tickSeconds, count }: Observation): string {
  const lines = `${frequency} ${frequency === 1 ? 'line' : 'lines'} in ${tickSeconds} s`
  return verdict === 'spike' ? `${lines}, where ${baseline.toFixed(1)} are usual` : `${lines}, ${count} so far`
}
