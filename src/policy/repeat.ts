import type { Sender } from '../domain/incident.ts'
import { severityRank } from '../domain/severity.ts'
import type { Problem, ProblemAlert } from './problem.ts'

/** An acknowledgement covers the repeats of this time: they arm no timer. */
const ACKNOWLEDGED_MS = 4 * 3_600_000
/** Time between two edits of a message; in the long run a twentieth of the problem's age. */
const EDIT_MS = 60_000
const EDITS_OF_AN_AGE = 20

/** Senders whose incidents are groups of alerts. */
const GROUPING: ReadonlySet<Sender> = new Set(['grouped_alerts', 'dashboard_alerts'])

/** The facts of an incident that make it a repeat. */
export type RepeatFacts = Pick<ProblemAlert, 'status' | 'severity' | 'members' | 'sender'>

/** Why an incident is no repeat. */
export type News = 'resolved' | 'first' | 'louder' | 'new alert'

/**
 * Returns undefined for a repeat: a firing incident of a problem that fires, which is not louder than those before and has
 * no alert that the latest one did not have. Unknown alerts of a group count as new ones.
 */
export function newsOf(problem: Problem | undefined, alert: RepeatFacts): News | undefined {
  if (alert.status === 'resolved') return 'resolved'
  if (problem?.state !== 'firing') return 'first'
  if (severityRank(alert.severity) < problem.level) return 'louder'
  return hasNewMember(problem, alert) ? 'new alert' : undefined
}

export const isRepeat = (problem: Problem | undefined, alert: RepeatFacts): problem is Problem =>
  newsOf(problem, alert) === undefined

function hasNewMember({ members: known }: Problem, { members, sender }: RepeatFacts): boolean {
  if (members === undefined) return GROUPING.has(sender)
  return known === null || members.some((member) => !known.includes(member))
}

/** A person acknowledged the problem so short a time ago that a repeat pages nobody. */
export const isAcknowledged = ({ ackedAt }: Problem, now: number): boolean =>
  ackedAt !== null && now - ackedAt < ACKNOWLEDGED_MS

/** Returns when a message may be edited next, epoch milliseconds. `since`: when the problem began to fire. */
export const nextEditAt = (toldAt: number, since: number): number =>
  toldAt + Math.max(EDIT_MS, (toldAt - since) / EDITS_OF_AN_AGE)
