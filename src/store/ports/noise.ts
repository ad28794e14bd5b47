import type { Decision } from '../../policy/decision.ts'

/** How often one outcome of the routes was decided. */
interface DecisionHits {
  readonly decision: Decision
  readonly hits: number
  /** Epoch milliseconds. */
  readonly lastAt: number
}

export interface RouteHits {
  /** Outcomes with a rule that matched, of this configuration and of earlier ones. */
  readonly decisions: readonly DecisionHits[]
  /** Incidents that no rule matched. */
  readonly unmatched: number
}

/** What decided about one incident when it was applied. */
export interface Decided {
  /** Undefined: no rule matched, or there were none. */
  readonly decision: Decision | undefined
  /** Query parameters of its request, as JSON; undefined: none. */
  readonly overrides: string | undefined
}

/** Snapshot for metrics. */
export interface NoiseState {
  /** Incidents that each rule matched, by its name. */
  readonly ruleHits: readonly (readonly [rule: string, hits: number])[]
}

/** Reads about decisions. Store thread. */
export interface NoisePort {
  routeHits(): RouteHits
  state(): NoiseState
  /** Undefined: no such incident is applied. */
  decided(id: string): Decided | undefined
}
