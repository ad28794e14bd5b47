import type { ProblemDetail, ProblemPage } from '../../api/noise/problem.ts'
import type { ProblemFilter } from '../problems/queries/filter.ts'
import type { OncallChange } from './oncall.ts'

/**
 * Problems: all incidents of one fingerprint. Store thread. The two actions are durable when they return, and throw
 * `storage_full`, `storage_down`.
 */
export interface ProblemPort {
  /** Throws `bad_parameter` for a cursor that is not valid. */
  list(filter: ProblemFilter): ProblemPage
  /** Undefined: no problem has the number. */
  detail(id: number): ProblemDetail | undefined
  /**
   * Returns when a turn has work for problems, epoch milliseconds, which may be past; Infinity: not without another event.
   * O(1).
   */
  nextAt(): number
  /** Acknowledges its latest incident and all its pages; undefined: no problem has the number. */
  acknowledge(id: number, by: string): readonly OncallChange[] | undefined
  /** Resolves all its incidents; undefined: no problem has the number. */
  resolve(id: number, by: string): readonly OncallChange[] | undefined
}
