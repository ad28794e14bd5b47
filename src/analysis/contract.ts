/** What the agent has noticed, in masked text. Times are ISO 8601. */
export interface Observation {
  /** `unknown`: nothing like it was seen before. `spike`: far more of it than usual. */
  readonly verdict: 'unknown' | 'spike'
  readonly patternId: string
  /** Text with `<*>` for what varies. */
  readonly template: string
  /** Name of the log source. */
  readonly source: string
  readonly service: string
  /** Name of the rule that let the lines through. */
  readonly rule: string
  readonly samples: readonly string[]
  /** Lines of the last tick, and what is usual. */
  readonly frequency: number
  readonly baseline: number
  readonly tickSeconds: number
  /** Lines since it began. */
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

/** The verdict on an observation. */
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

export interface Prompts {
  readonly system: string
  readonly user: string
}

/** One call and what came of it. Empty strings stand for what a backend does not have. */
export interface CallResult {
  /** Checked against the schema before anybody acts on it. */
  readonly finding: AnalysisFinding
  readonly prompts: Prompts | string
  readonly rawResponse: string
  readonly model: string
  readonly durationMs: number
}

/** Whoever gives an opinion on what was noticed. Another one can be named by `agent.ai.backend`. */
export interface AnalysisBackend {
  /** Rejects when there is no finding; an `AnalysisFailure` says what was asked and answered all the same. */
  analyze(observation: Observation, signal: AbortSignal): Promise<CallResult>
}
