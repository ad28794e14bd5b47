import type { Problem } from '../../policy/problem.ts'

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
