import type { ProblemDetail, ProblemPage } from '../../api/noise/problem.ts'
import type { Problem } from '../../policy/problem.ts'
import type { ProblemFilter } from '../problems/queries/filter.ts'
import type { OncallChange } from './oncall.ts'

/** Names of a problem: its fingerprint, its number, or the id of one of its incidents. */
export type ProblemName = { readonly fingerprint: string } | { readonly number: number } | { readonly incident: string }

/** A problem as of all that is applied. */
export type NamedProblem = Pick<Problem, 'id' | 'fingerprint' | 'state' | 'title' | 'service' | 'severity' | 'lastId'>

/** Remark of a person on a problem. */
export interface Remark {
  readonly id: number
  readonly by: string
  readonly text: string
}

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
  /** Undefined: no problem has the name. An incident that retention has deleted names only the problem that began with it. */
  named(name: ProblemName): NamedProblem | undefined
  /** As `acknowledge`; nothing for a problem that does not fire. */
  acknowledgeFiring(id: number, by: string): readonly OncallChange[]
  /**
   * Raises a follow-up for each thread of its latest incident's messages, else of those of the incident with which it began
   * to fire; returns their number.
   */
  note(remark: Remark): number
  /** Resolves all its incidents; undefined: no problem has the number. */
  resolve(id: number, by: string): readonly OncallChange[] | undefined
}
