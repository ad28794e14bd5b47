import { oneLine } from '../text/one-line.ts'
import { type AnalysisFinding, CATEGORIES, type Category, SEVERITIES, type Severity } from './contract.ts'

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
export const boundedLine = (text: string, max: number) => cut(oneLine(text), max)

const cut = (text: string, max: number) => (text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`)
