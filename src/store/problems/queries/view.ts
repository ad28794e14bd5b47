import type { ProblemRecord } from '../../../api/noise/problem.ts'
import { SEVERITY_LEVELS } from '../../../domain/severity.ts'
import { flapScoreAt, quietKindOf, quietMs } from '../../../policy/problem.ts'
import { isoTime, isoTimeOrNull } from '../../../text/iso-time.ts'
import { type ProblemRow, problemOf } from '../rows.ts'

/** `now`: epoch milliseconds. */
export function problemRecord(row: ProblemRow, now: number): ProblemRecord {
  const problem = problemOf(row)
  const { fingerprint, state, title, service, severity, sender, source, firing } = problem
  const quiet = quietMs(quietKindOf(problem))
  const endsAt = state === 'firing' && quiet !== Infinity ? problem.lastAt + quiet : null
  return {
    id: row.id,
    fingerprint,
    state,
    title,
    service,
    severity,
    level: SEVERITY_LEVELS[problem.level] ?? 'warning',
    sender,
    source,
    since: isoTime(problem.since),
    opened_at: isoTime(problem.openedAt),
    first_at: isoTime(problem.firstAt),
    last_at: isoTime(problem.lastAt),
    firing,
    firing_total: problem.firingTotal,
    resolved_total: problem.resolvedTotal,
    ended_by: problem.endedBy,
    resolved_by: problem.resolvedBy,
    ends_at: isoTimeOrNull(endsAt),
    acked_at: isoTimeOrNull(problem.ackedAt),
    acked_by: problem.ackedBy,
    flap_score: Math.round(flapScoreAt(problem, now) * 100) / 100,
    last_incident_id: problem.lastId,
  }
}
