import { cut } from '../text/cut.ts'
import { oneLine } from '../text/one-line.ts'
import {
  type AnalysisFinding,
  CATEGORIES,
  type Category,
  type Observation,
  SEVERITIES,
  type Severity,
} from './contract.ts'

const MAX_TITLE = 160
const MAX_SUMMARY = 1_500
const MAX_SUGGESTIONS = 6
const MAX_SUGGESTION = 300

/** JSON schema of the model's answer. Bounds that OpenAI's schemas do not support are applied by `findingOf`. */
export const FINDING_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['title', 'summary', 'severity', 'category', 'confidence', 'suggestions'],
  properties: {
    title: { type: 'string', description: 'What is wrong, in one line of at most 100 characters' },
    summary: { type: 'string', description: 'What it means and what it may lead to, in at most four sentences' },
    severity: { type: 'string', enum: SEVERITIES },
    category: { type: 'string', enum: CATEGORIES },
    confidence: { type: 'number', description: 'From 0 to 1' },
    suggestions: { type: 'array', items: { type: 'string' }, description: 'Up to five things to look at or to do' },
  },
} as const

/**
 * Checks a value against the schema and cuts texts to their bounds. Drops unknown fields. Returns undefined when it is
 * not a finding.
 */
export function findingOf(value: unknown): AnalysisFinding | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { title, summary, severity, category, confidence, suggestions } = value as { [field: string]: unknown }
  if (typeof title !== 'string' || typeof summary !== 'string' || title.trim() === '') return undefined
  if (!isSeverity(severity) || !isCategory(category) || !isShare(confidence)) return undefined
  if (!Array.isArray(suggestions) || !suggestions.every((each) => typeof each === 'string')) return undefined
  return {
    title: boundedLine(title, MAX_TITLE),
    summary: cut(summary.trim(), MAX_SUMMARY),
    severity,
    category,
    confidence,
    suggestions: suggestions.slice(0, MAX_SUGGESTIONS).map((each) => boundedLine(each, MAX_SUGGESTION)),
  }
}

const isSeverity = (value: unknown): value is Severity => SEVERITIES.some((each) => each === value)
const isCategory = (value: unknown): value is Category => CATEGORIES.some((each) => each === value)
const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1

/** Returns a text on one line, cut to `max` UTF-16 units with … at its end. */
const boundedLine = (text: string, max: number) => cut(oneLine(text), max)

/** Patterns of words that indicate a severity, the highest first. */
const LEVELS: readonly (readonly [RegExp, Severity])[] = [
  [/\b(?:fatal|panic|emerg(?:ency)?|crit(?:ical)?|out of memory|oom-kill|segfault|data loss)/i, 'high'],
  [/\b(?:err(?:or)?|exception|fail(?:ed|ure)?|refused|denied|timed? ?out)/i, 'medium'],
]
const MAX_LINE = 120

/** Returns a finding without a model, from the observation alone. */
export function ruleBasedFinding(observation: Observation): AnalysisFinding {
  const { verdict, patternId, template, service, source, samples } = observation
  const line = boundedLine(samples[0] ?? template, MAX_LINE)
  const shown = boundedLine(template, MAX_LINE)
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
