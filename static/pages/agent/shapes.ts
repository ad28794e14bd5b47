/** What /api/agent/* answers, as far as the pages read it. Times are ISO 8601. */

export interface AgentStatus {
  readonly enabled: boolean
  readonly mode: string | null
  /** Milliseconds behind the slowest source. */
  readonly lag: number
  readonly lines_per_s: number
  readonly lines?: number
  readonly patterns: number
  readonly merged?: number
  readonly evicted?: number
  readonly services?: number
  /** Ticks since the agent was started. */
  readonly ticks?: number
  readonly last_tick_at?: string | null
  readonly waiting_findings?: number
  readonly sources: readonly AgentSource[]
  readonly ai?: {
    readonly enabled: boolean
    readonly model: string
    readonly max_calls_per_hour: number
    readonly calls_last_hour: number
    readonly cached: number
    readonly paused: boolean
  }
}

export interface AgentSource {
  readonly name: string
  readonly type: string
  readonly state: string
  readonly error: string
  readonly events: number
  readonly read_to_end_at: string | null
  readonly lag_ms: number
}

export const VERDICTS = ['known', 'unknown', 'ignored'] as const

export interface Pattern {
  readonly id: string
  readonly template: string
  readonly first_seen: string
  readonly last_seen: string
  readonly count: number
  /** Lines in a tick when all is well. */
  readonly baseline_frequency: number
  readonly verdict: string
  readonly known_by: string
  readonly rule_name: string
  readonly source: string
  readonly service: string
  readonly tags: readonly string[]
  /** Lines of the last ticks, the latest last. */
  readonly recent: readonly number[]
}

export interface PatternPage {
  readonly patterns: readonly Pattern[]
  readonly total: number
}

export interface Service {
  readonly name: string
  readonly first_seen: string
  readonly grace_ends: string
  readonly in_grace: boolean
}

export interface ShadowEvent {
  readonly pattern_id: string
  readonly template: string
  readonly source: string
  readonly service?: string
  readonly rule_name: string
  readonly verdict: string
  readonly sample_message: string
  readonly count: number
  readonly occurrences: number
  readonly first_seen: string
  readonly last_seen: string
}

export interface Finding {
  readonly title: string
  readonly summary: string
  readonly severity: string
  readonly category: string
  /** 0 to 1. */
  readonly confidence: number
  readonly suggestions: readonly string[]
}

export interface DetectEvent {
  readonly id: string
  readonly at: string
  readonly pattern_id: string
  readonly verdict: string
  readonly source: string
  readonly service: string
  readonly template: string
  readonly outcome: string
  readonly error: string
  readonly finding: Finding | null
  readonly model: string
  readonly duration_ms: number
  /** Only in the event itself, not in the list. */
  readonly prompts?: string | { readonly system: string; readonly user: string }
  readonly raw_response?: string
}
