import type { Sender, Source, Status } from '../domain/incident.ts'
import { severityRank } from '../domain/severity.ts'

/**
 * A problem is all incidents of one fingerprint. States:
 *
 *     firing     until an incident, a person or quiet ends it
 *     resolved   until an incident fires that is not older than the resolution
 *
 * Times are epoch milliseconds.
 */
export interface Problem {
  /** Number of its first incident. */
  readonly id: number
  readonly fingerprint: string
  readonly state: Status
  /** Begin of the state. */
  readonly since: number
  /** Last time that it began to fire, and the number of the incident that began it. */
  readonly openedAt: number
  readonly opening: number
  /** Commit of the first and of the latest incident. */
  readonly firstAt: number
  readonly lastAt: number
  /** Firing incidents since `openedAt`. */
  readonly firing: number
  readonly firingTotal: number
  readonly resolvedTotal: number
  /** Loudest severity rank of the firing incidents since `openedAt`. */
  readonly level: number
  readonly endedBy: Ending | null
  /** Id of the resolved incident that ended it. */
  readonly resolvedBy: string | null
  /** Time of that resolution by the clock of the sender. */
  readonly senderEndedAt: number | null
  readonly ackedAt: number | null
  readonly ackedBy: string | null
  /** Until when the acknowledgement covers repeats. */
  readonly ackedUntil: number | null
  /** Rises by 1 with each change of state, halves in 30 minutes; of the time `flapAt`. */
  readonly flapScore: number
  readonly flapAt: number
  /** Null: it does not flap. */
  readonly flap: Flap | null
  /** Fingerprints of the firing alerts of its group, at most 64; null: unknown, or no group. */
  readonly members: readonly string[] | null
  /** Title of the latest incident. */
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly sender: Sender
  readonly source: Source
  readonly lastIncident: number
  readonly lastId: string
}

/** That a problem flaps. */
export interface Flap extends Pick<Problem, 'level' | 'members'> {
  readonly since: number
  /** It is over then, unless the state changes before. */
  readonly overAt: number
}

type Ending = 'sender' | 'person' | 'quiet'

/** The facts of an incident that its problem changes by. */
export interface ProblemAlert
  extends Pick<Problem, 'fingerprint' | 'title' | 'service' | 'severity' | 'sender' | 'source'> {
  readonly id: string
  readonly status: Status
  readonly incident: number
  readonly committedAt: number
  /** When its alerts began or ceased to fire, by the clock of the sender; undefined: unknown. */
  readonly changedAt?: number | undefined
  readonly members?: readonly string[] | undefined
}

/**
 * The sender of a problem never says that it is over, so a shorter quiet ends it. Heartbeats are of the sender custom, and
 * resolve.
 */
const neverResolves = ({ sender, source }: Pick<Problem, 'sender' | 'source'>): boolean =>
  source !== 'heartbeat' && (sender === 'log_forwarder' || sender === 'custom')

/** A door knows until when its alerts fire, whatever their times are. */
const isClaimed = ({ source }: Pick<Problem, 'source'>): boolean => source === 'alertmanager'

/** How soon a problem is over without an incident. `claimed`: its door ends it. */
export const QUIET_KINDS = ['long', 'brief', 'claimed'] as const
type QuietKind = (typeof QUIET_KINDS)[number]

export const quietKindOf = (problem: Pick<Problem, 'sender' | 'source'>): QuietKind =>
  isClaimed(problem) ? 'claimed' : neverResolves(problem) ? 'brief' : 'long'

const BRIEF_QUIET_MS = 30 * 60_000
const LONG_QUIET_MS = 24 * 3_600_000
/** Time without an incident after which a problem is over; Infinity: its door ends it. */
export function quietMs(kind: QuietKind): number {
  if (kind === 'claimed') return Infinity
  return kind === 'brief' ? BRIEF_QUIET_MS : LONG_QUIET_MS
}

/** Half-life of the flap score. */
export const FLAP_HALF_LIFE_MS = 30 * 60_000
const MAX_FLAP_SCORE = 8

/** Returns the flap score at a time. */
export const flapScoreAt = ({ flapScore, flapAt }: Pick<Problem, 'flapScore' | 'flapAt'>, now: number): number =>
  flapScore * 2 ** (-Math.max(0, now - flapAt) / FLAP_HALF_LIFE_MS)

/**
 * Returns true for a firing incident that began before its problem was resolved: it came late. Both times are by the
 * clock of the sender; without them it is no late one.
 */
export const isLate = (
  problem: Problem | undefined,
  { status, changedAt }: Pick<ProblemAlert, 'status' | 'changedAt'>,
): boolean =>
  status === 'firing' &&
  problem?.state === 'resolved' &&
  problem.senderEndedAt !== null &&
  changedAt !== undefined &&
  changedAt < problem.senderEndedAt &&
  !isClaimed(problem)

/** Returns the problem after an incident. */
export function withAlert(problem: Problem | undefined, alert: ProblemAlert): Problem {
  if (problem === undefined) return afresh(alert)
  if (alert.status === 'resolved') return resolvedBySender(heardOf(problem, alert, 0), alert)
  const heard = heardOf(problem, alert, 1)
  if (isLate(problem, alert)) return heard
  if (problem.state === 'firing') {
    // Most incidents are repeats: no further copy is made of them.
    heard.firing++
    heard.level = Math.min(problem.level, severityRank(alert.severity))
    heard.members = membersOf(alert)
    return heard
  }
  return { ...heard, ...flapped(problem, alert.committedAt), ...opened(alert) }
}

/** Returns a copy that has the words of an incident, and counts it. */
const heardOf = (
  problem: Problem,
  alert: ProblemAlert,
  firing: 0 | 1,
): { -readonly [key in keyof Problem]: Problem[key] } => ({
  ...problem,
  firingTotal: problem.firingTotal + firing,
  lastAt: alert.committedAt,
  title: alert.title,
  service: alert.service,
  severity: alert.severity,
  sender: alert.sender,
  source: alert.source,
  lastIncident: alert.incident,
  lastId: alert.id,
})

/** Returns the problem after a person or quiet ended it. */
export function withEnding(problem: Problem, endedBy: 'person' | 'quiet', now: number): Problem {
  if (problem.state === 'resolved') return problem
  const ended = { ...problem, state: 'resolved', since: now, endedBy, resolvedBy: null, senderEndedAt: null } as const
  return endedBy === 'quiet' ? ended : { ...ended, ...flapped(problem, now) }
}

function resolvedBySender(problem: Problem, { committedAt, id, changedAt }: ProblemAlert): Problem {
  const counted = { ...problem, resolvedTotal: problem.resolvedTotal + 1 }
  const senderEndedAt = Math.max(changedAt ?? -Infinity, problem.senderEndedAt ?? -Infinity)
  const by = { resolvedBy: id, senderEndedAt: senderEndedAt === -Infinity ? null : senderEndedAt }
  // A person may have resolved it before its sender does.
  if (problem.state === 'resolved') return { ...counted, ...by }
  const changed = flapped(problem, committedAt)
  return { ...counted, ...by, ...changed, state: 'resolved', since: committedAt, endedBy: 'sender' }
}

function afresh(alert: ProblemAlert): Problem {
  const { committedAt: at, fingerprint, status, id, changedAt } = alert
  const firing = status === 'firing'
  return {
    ...wordsOf(alert),
    id: alert.incident,
    fingerprint,
    firstAt: at,
    lastAt: at,
    firingTotal: firing ? 1 : 0,
    resolvedTotal: firing ? 0 : 1,
    flapScore: 0,
    flapAt: at,
    flap: null,
    ...opened(alert),
    ...(firing
      ? undefined
      : { state: 'resolved', firing: 0, endedBy: 'sender', resolvedBy: id, senderEndedAt: changedAt ?? null }),
  }
}

const opened = (alert: ProblemAlert) =>
  ({
    state: 'firing',
    since: alert.committedAt,
    openedAt: alert.committedAt,
    opening: alert.incident,
    firing: 1,
    level: severityRank(alert.severity),
    endedBy: null,
    resolvedBy: null,
    senderEndedAt: null,
    ackedAt: null,
    ackedBy: null,
    ackedUntil: null,
    members: membersOf(alert),
  }) as const

const wordsOf = ({ title, service, severity, sender, source, incident, id }: ProblemAlert) =>
  ({ title, service, severity, sender, source, lastIncident: incident, lastId: id }) as const

const membersOf = ({ members }: ProblemAlert) => members ?? null

/** Returns the flap score after a change of state. */
export const flapped = (problem: Problem, now: number) => ({
  flapScore: Math.min(MAX_FLAP_SCORE, flapScoreAt(problem, now) + 1),
  flapAt: now,
})
