import type {
  AgentStatus,
  Cleared,
  FlatCounts,
  FlushedCalls,
  FlushedPatterns,
  PushAnswer,
} from '../../src/api/agent/agent.ts'
import type { DetectCallDetail, DetectCallList } from '../../src/api/agent/detect-call.ts'
import type { GraceRequest, LogService, LogServiceList } from '../../src/api/agent/log-service.ts'
import type { PatternLabel, PatternPage, PatternRecord } from '../../src/api/agent/pattern.ts'
import type { ShadowEventList } from '../../src/api/agent/shadow-event.ts'
import type { Done } from '../../src/api/incident.ts'
import type { Mode } from '../../src/mining/contract.ts'
import type { Query } from './query.ts'

/**
 * Questions to the log agent; the answers are bodies of `/api/agent/*`. All reject with `ask_timeout` or `peer_down`;
 * those about one pattern, service, source or event also with `not_found`.
 */
export interface AgentQueries {
  status(): Required<AgentStatus> & { readonly mode: Mode }
  /** At most `limit` patterns, last seen first. */
  patterns(query: { readonly limit: number }): PatternPage
  /**
   * Patterns of a service that were new between two times, in epoch milliseconds, or are not known and had lines then; at most 5,
   * last seen first.
   */
  around(query: { readonly service: string; readonly from: number; readonly to: number }): readonly PatternRecord[]
  pattern(query: { readonly id: string }): PatternRecord
  label(query: { readonly id: string; readonly label: PatternLabel }): PatternRecord
  forget(query: { readonly id: string }): Done
  'clear-patterns'(): Cleared
  services(): LogServiceList
  grace(query: GraceRequest & { readonly name: string }): LogService
  shadow(): ShadowEventList
  'shadow-stats'(): FlatCounts
  'clear-shadow'(): Cleared
  /** Calls of the model, without prompts and raw responses. */
  detect(): DetectCallList
  'detect-stats'(): FlatCounts
  'detect-event'(query: { readonly id: string }): DetectCallDetail
  'clear-detect'(): Cleared
  'flush-detect'(): FlushedCalls
  /** Writes the agent's files. Rejects with `storage_full`, `storage_down`. */
  flush(): FlushedPatterns
  /** Takes lines for a source of type http; answered when they are queued to be read. */
  push(query: { readonly source: string; readonly contentType: string; readonly body: Uint8Array }): PushAnswer
}

export type AgentQuery<K extends keyof AgentQueries = keyof AgentQueries> = Query<AgentQueries, K>
