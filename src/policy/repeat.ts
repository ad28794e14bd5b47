import { withMembers } from '../domain/escalation.ts'
import type { Sender } from '../domain/incident.ts'
import { severityRank } from '../domain/severity.ts'
import { FLAP_HALF_LIFE_MS, type Flap, flapped, isLate, type Problem, type ProblemAlert } from './problem.ts'

/** An acknowledgement covers the repeats of this time: they arm no timer. */
export const ACKNOWLEDGED_MS = 4 * 3_600_000

/** Senders whose incidents are groups of alerts. */
export const GROUPING: ReadonlySet<Sender> = new Set(['grouped_alerts', 'dashboard_alerts'])

/** The facts of an incident that make it a repeat. */
export type RepeatFacts = Pick<ProblemAlert, 'status' | 'severity' | 'members' | 'sender'>

/** Why an incident is no repeat. */
export type News = 'resolved' | 'first' | 'louder' | 'new alert'

/**
 * Returns undefined for a repeat: a firing incident of a problem that fires, which is not louder than those before and has
 * no alert that the latest one did not have. Unknown alerts of a group count as new ones.
 */
export function newsOf(
  problem: Pick<Problem, 'state' | 'level' | 'members'> | undefined,
  alert: RepeatFacts,
): News | undefined {
  if (alert.status === 'resolved') return 'resolved'
  if (problem?.state !== 'firing') return 'first'
  if (severityRank(alert.severity) < problem.level) return 'louder'
  return hasNewMember(problem, alert) ? 'new alert' : undefined
}

export const isRepeat = (problem: Problem | undefined, alert: RepeatFacts): problem is Problem =>
  newsOf(problem, alert) === undefined

function hasNewMember({ members: known }: Pick<Problem, 'members'>, { members, sender }: RepeatFacts): boolean {
  if (members === undefined) return GROUPING.has(sender)
  return known === null || members.some((member) => !known.includes(member))
}

/** A person acknowledged the problem. The acknowledgement of a token, which leaves pages as they are, covers no repeats. */
export const isTaken = ({ ackedUntil }: Pick<Problem, 'ackedUntil'>): boolean => ackedUntil !== null

/** A person acknowledged the problem so short a time ago that a repeat pages nobody. */
export const isAcknowledged = ({ ackedUntil }: Problem, now: number): boolean => ackedUntil !== null && now < ackedUntil

/**
 * A problem flaps from the first score on until its score is below the second one: from five quick changes of state, or one
 * every ten minutes for a while, until 30 to 60 minutes without any.
 */
const FLAPS_FROM = 4
const FLAPS_UNTIL = 2
/** Longest time from a change of state to the end of flapping: that of the highest score. */
export const MAX_FLAP_MS = 2 * FLAP_HALF_LIFE_MS

/** The facts of an incident that a flap changes by. */
export type FlapFacts = RepeatFacts & Pick<ProblemAlert, 'changedAt' | 'committedAt'>

export interface FlapStep {
  readonly flap: Flap
  /** Why the incident is more than a change of the state. */
  readonly news: News | undefined
}

/**
 * Returns whether a problem flaps with an incident, and what this one adds to it; undefined: it does not flap. `problem`:
 * before the incident, undefined: unknown.
 */
export function flapWith(was: Flap | undefined, problem: Problem | undefined, alert: FlapFacts): FlapStep | undefined {
  const changed =
    problem !== undefined && problem.state !== alert.status && !isLate(problem, alert)
      ? flapped(problem, alert.committedAt)
      : undefined
  const flap = was ?? begun(problem, changed, alert.committedAt)
  if (flap === undefined) return undefined
  const overAt = changed === undefined ? flap.overAt : Math.max(flap.overAt, flapOverAt(changed))
  if (alert.status === 'resolved') return { flap: { ...flap, overAt }, news: undefined }
  const news = newsOf({ ...flap, state: 'firing' }, alert)
  const level = Math.min(flap.level, severityRank(alert.severity))
  return { flap: { ...flap, overAt, level, members: withMembers(flap.members, alert.members) }, news }
}

function begun(
  problem: Problem | undefined,
  changed: ReturnType<typeof flapped> | undefined,
  since: number,
): Flap | undefined {
  if (problem === undefined || changed === undefined || changed.flapScore < FLAPS_FROM) return undefined
  return { since, overAt: flapOverAt(changed), level: problem.level, members: problem.members }
}

/** Returns the epoch milliseconds from which on a problem does not flap, unless its state changes before. */
export const flapOverAt = ({ flapScore, flapAt }: Pick<Problem, 'flapScore' | 'flapAt'>): number =>
  Math.ceil(flapAt + FLAP_HALF_LIFE_MS * Math.log2(Math.max(flapScore, FLAPS_UNTIL) / FLAPS_UNTIL))
