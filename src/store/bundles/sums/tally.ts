import type { Status } from '../../../domain/incident.ts'

/** The facts of an incident that its problem is counted by. */
export interface TallyFacts {
  readonly incident: number
  readonly id: string
  /** Number of its problem. */
  readonly problem: number
  readonly fingerprint: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  /** Arrival, epoch milliseconds. */
  readonly createdAt: number
}

/** Columns of `incidents i` that are a `TallyFacts`. */
export const FACT_COLUMNS =
  'i.seq AS incident, i.id, i.problem, i.fingerprint, i.title, i.service, i.severity, i.status, i.created_at AS "createdAt"'

/** The facts of an incident with a delivery. */
export interface DeliveredFacts extends TallyFacts {
  /** Commit, or the time when it was placed at a fallback. */
  readonly committedAt: number
}

/** Columns of `incidents i` and `dispatches d` that are a `DeliveredFacts`. */
export const DELIVERED_COLUMNS = `${FACT_COLUMNS}, coalesce(d.placed_at, i.committed_at) AS "committedAt"`

/**
 * What the digest of a storm counts of one problem. `told` and `prior`: its places under the last told revision, and under the
 * hand-out of `hand` places, when it was changed last: what a later revision covers follows, see `toldOf`.
 */
export interface Tally extends Pick<TallyFacts, 'problem' | 'fingerprint' | 'title' | 'service' | 'severity'> {
  readonly bundle: number
  readonly level: number
  /** 1: its latest incident is a resolution. */
  readonly ended: number
  /** All of its incidents; 0: it is known from before the storm. */
  readonly counted: number
  /** Places. */
  readonly firing: number
  readonly resolved: number
  /** Messages of their own. */
  readonly singly_firing: number
  readonly singly_resolved: number
  readonly told: number
  readonly prior: number
  readonly hand: number
  readonly first_incident: number
  readonly first_id: string
  readonly last_incident: number
  readonly last_id: string
  readonly first_at: number
  readonly last_at: number
}

export const placesOf = ({ firing, resolved }: Tally) => firing + resolved
export const singlesOf = (tally: Tally) => tally.singly_firing + tally.singly_resolved

/** Returns the places of a problem that the last told revision covers. `told`: all places that it covers. */
export const toldOf = (tally: Tally, told: number): number =>
  told > tally.hand ? placesOf(tally) : told === tally.hand ? tally.prior : tally.told

/** No message has told of it. */
export const isUntold = (tally: Tally, told: number): boolean =>
  placesOf(tally) > 0 && singlesOf(tally) === 0 && toldOf(tally, told) === 0
