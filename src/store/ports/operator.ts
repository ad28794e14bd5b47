import type { ReplayFilter } from '../incidents/filters.ts'
import type { OncallChange } from './oncall.ts'

/** unknown: no incident has the id. already: it was acknowledged before, and that stays. */
export type Acknowledgement =
  | { readonly kind: 'unknown' | 'already' }
  | { readonly kind: 'acknowledged'; readonly oncall: readonly OncallChange[] }

/**
 * Changes that people make to incidents and deliveries.
 * Store thread. Durable when they return; all throw `storage_full`, `storage_down`.
 */
export interface OperatorPort {
  /**
   * Stops the timers of the incident's problem, and acknowledges at a provider that was paged. `problem`: number of the problem,
   * which is acknowledged when no incident has the id any more.
   */
  acknowledge(id: string, by: string, problem?: number): Acknowledgement
  /** As `acknowledge`, by a signed link. */
  acknowledgeByLink(id: string, by: string, problem?: number): Acknowledgement
  /** Resolves every incident of the incident's fingerprint; undefined: no incident has the id. */
  resolve(id: string, by: string): readonly OncallChange[] | undefined
  /**
   * Makes dead deliveries pending with fresh attempts, oldest first, at most half of the free backlog; returns their
   * number. `expected`: dispatches that incidents may become which are committed and not applied; they are not free.
   */
  replay(filter: ReplayFilter, expected?: number): number
  /**
   * Makes every finished delivery of the incident pending, on the channels enabled now; one that no rule decided goes to
   * all of them. False: no incident has the id.
   */
  resend(id: string): boolean
}
