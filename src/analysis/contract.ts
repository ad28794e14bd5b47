import { CodedError } from '../domain/errors.ts'
import type { ModelFailureKind } from '../models/model.ts'

/** A finding of the anomaly detector, as sent to the model. Texts are redacted; times are ISO 8601. */
export interface Observation {
  /** `unknown`: a new pattern. `spike`: far more lines of a pattern than usual. */
  readonly verdict: 'unknown' | 'spike'
  readonly patternId: string
  /** Text with `<*>` in place of variable parts. */
  readonly template: string
  /** Name of the log source. */
  readonly source: string
  readonly service: string
  /** Name of the prefilter rule that the lines match. */
  readonly rule: string
  readonly samples: readonly string[]
  /** Number of lines in the last tick, and the usual number. */
  readonly frequency: number
  readonly baseline: number
  readonly tickSeconds: number
  /** Number of lines since the episode opened. */
  readonly count: number
  readonly firstSeen: string
  readonly at: string
}

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

export const CATEGORIES = [
  'availability',
  'performance',
  'database',
  'network',
  'security',
  'resource',
  'configuration',
  'dependency',
  'application',
  'other',
] as const
export type Category = (typeof CATEGORIES)[number]

/** Explanation of an observation. */
export interface AnalysisFinding {
  /** One line. */
  readonly title: string
  readonly summary: string
  readonly severity: Severity
  readonly category: Category
  /** 0 to 1. */
  readonly confidence: number
  readonly suggestions: readonly string[]
}

interface Prompts {
  readonly system: string
  readonly user: string
}

/** Result of one call of a model. Fields that a backend does not have are empty strings. */
export interface CallResult {
  /** Checked against the schema by the caller. */
  readonly finding: AnalysisFinding
  readonly prompts: Prompts | string
  readonly rawResponse: string
  readonly model: string
  readonly durationMs: number
}

/** A model that explains observations. `agent.ai.backend` may name another implementation. */
export interface AnalysisBackend {
  /**
   * Explains an observation. Rejects when there is no finding; an `AnalysisFailure` carries prompts and answer for the
   * detect log.
   */
  analyze(observation: Observation, signal: AbortSignal): Promise<CallResult>
}

export type FailureKind = ModelFailureKind | 'unparsable'

/** A call without a finding (analysis_failed). `call` holds prompts and answer, as far as known, for the detect log. */
export class AnalysisFailure extends CodedError {
  readonly kind: FailureKind
  readonly call: Partial<CallResult>

  constructor(kind: FailureKind, message: string, call: Partial<CallResult> = {}) {
    super('analysis_failed', message)
    this.name = 'AnalysisFailure'
    this.kind = kind
    this.call = call
  }
}
