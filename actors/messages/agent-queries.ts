import type { DetectEvent } from '../../src/analysis/detect-log.ts'
import type { DetectorCounts, KnownBy, Mode, Verdict } from '../../src/mining/contract.ts'
import type { ShadowEvent } from '../../src/mining/detect/shadow-log.ts'
import type { SourceStatus } from '../../src/mining/input/source-reader.ts'
import type { Query } from './query.ts'

/**
 * Questions to the log agent; the answers are bodies of `/api/agent/*`. All reject with `ask_timeout` or `peer_down`; those about one pattern,
 * service, source or event also with `not_found`.
 */
export interface AgentQueries {
  status(): AgentStatus
  /** At most `limit` patterns, last seen first. */
  patterns(query: { readonly limit: number }): { readonly patterns: readonly PatternRecord[]; readonly total: number }
  pattern(query: { readonly id: string }): PatternRecord
  label(query: {
    readonly id: string
    readonly label: { readonly verdict?: Verdict; readonly tags?: readonly string[] }
  }): PatternRecord
  forget(query: { readonly id: string }): { readonly ok: true }
  'clear-patterns'(): Cleared
  services(): { readonly services: readonly ServiceRecord[] }
  grace(query: { readonly name: string; readonly action: 'end' | 'restart' }): ServiceRecord
  shadow(): { readonly events: readonly ShadowEvent[] }
  'shadow-stats'(): { readonly [count: string]: number }
  'clear-shadow'(): Cleared
  /** Calls of the model, without prompts and raw responses. */
  detect(): { readonly events: readonly Omit<DetectEvent, 'prompts' | 'raw_response'>[] }
  'detect-stats'(): { readonly [count: string]: number }
  'detect-event'(query: { readonly id: string }): DetectEvent
  'clear-detect'(): Cleared
  'flush-detect'(): { readonly ok: true; readonly events: number }
  /** Writes the agent's files. Rejects with `storage_full`, `storage_down`. */
  flush(): { readonly ok: true; readonly patterns: number }
  /** Takes lines for a source of type http; answered when they are queued to be read. */
  push(query: { readonly source: string; readonly contentType: string; readonly body: Uint8Array }): {
    readonly accepted: number
  }
}

export type AgentQuery<K extends keyof AgentQueries = keyof AgentQueries> = Query<AgentQueries, K>

interface Cleared {
  readonly ok: true
  readonly cleared: number
}

export interface AgentStatus extends DetectorCounts {
  readonly enabled: true
  readonly mode: Mode
  /** Milliseconds, of the source that is furthest behind. */
  readonly lag: number
  readonly lines_per_s: number
  readonly events: number
  readonly learned: number
  readonly faults: number
  readonly services: number
  readonly ticks: number
  readonly last_tick_at: string | null
  readonly waiting_findings: number
  readonly sources: readonly SourceStatus[]
  readonly ai: {
    readonly enabled: boolean
    readonly model: string
    readonly max_calls_per_hour: number
    readonly calls_last_hour: number
    readonly cached: number
    readonly paused: boolean
  }
}

export interface PatternRecord {
  readonly id: string
  readonly template: string
  readonly first_seen: string
  readonly last_seen: string
  readonly count: number
  /** Lines in a tick when all is well. */
  readonly baseline_frequency: number
  readonly verdict: Verdict
  readonly known_by: KnownBy
  readonly rule_name: string
  readonly source: string
  readonly service: string
  readonly tags: readonly string[]
  /** Lines of the last ticks, the latest last. */
  readonly recent: readonly number[]
}

export interface ServiceRecord {
  readonly name: string
  readonly first_seen: string
  readonly grace_ends: string
  readonly in_grace: boolean
}
