import { destinationName } from '../../../domain/delivery/delivery.ts'
import { DESTINATION_CODE, KIND, stateName } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'

const STEP = 2_000
const HOUR_MS = 3_600_000
const hourOf = (column: string) => `(${column} / ${HOUR_MS}) * ${HOUR_MS}`
const IN_PART = 'i.seq BETWEEN ?1 AND ?2 AND i.committed_at >= ?3'

interface Range {
  readonly first: number | null
  readonly last: number | null
  readonly oldest: number | null
}

interface HourRow {
  readonly code: number
  readonly hour: number
  readonly count: number
  readonly edits: number
}

/** Titles are of the latest incident. */
export interface ReportedProblem {
  readonly fingerprint: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly id: string
  readonly firing: number
  readonly resolved: number
}

export type ReportPart = ReturnType<ReturnType<typeof openReport>['part']>
export type HourOfDestination = ReportPart['messages'][number]

/**
 * Opens the counts of the ledger, in steps: none takes long, so that turns come in between. Store thread. The range of a
 * step is by number alone, so its cost does not depend on the time. Times are epoch milliseconds, hours the begins of hours.
 */
export function openReport({ db, lanes }: StoreContext) {
  const range = db.query<Range>(`SELECT min(seq) AS first, max(seq) AS last, min(committed_at) AS oldest
     FROM (SELECT seq, committed_at FROM incidents WHERE seq < ? ORDER BY seq DESC LIMIT ${STEP}) part`)
  const counted = db.query<{ count: number; oldest: number | null }>(
    `SELECT count(*) AS count, min(committed_at) AS oldest FROM incidents i WHERE ${IN_PART}`,
  )
  const messages =
    db.query<HourRow>(`SELECT a.channel AS code, ${hourOf('a.started_at')} AS hour, count(*) AS count, 0 AS edits
     FROM incidents i CROSS JOIN attempts a
     WHERE a.incident = i.seq AND ${IN_PART} AND a.outcome = 'sent' AND a.channel <> ${DESTINATION_CODE.oncall} GROUP BY code, hour`)
  const pages = db.query<{
    hour: number
    count: number
    unacknowledged: number
  }>(`SELECT ${hourOf('paged_at')} AS hour, count(*) AS count, count(*) FILTER (WHERE acked_at IS NULL) AS unacknowledged
     FROM incidents i WHERE ${IN_PART} AND paged_at IS NOT NULL GROUP BY hour`)
  const deliveries = db.query<{ state: number; byDigest: number; count: number }>(
    `SELECT d.state, d.bundle IS NOT NULL AS "byDigest", count(*) AS count
     FROM incidents i CROSS JOIN dispatches d
     WHERE d.incident = i.seq AND d.kind = ${KIND.delivery} AND ${IN_PART} GROUP BY d.state, d.bundle IS NOT NULL`,
  )
  const problems = db.query<ReportedProblem>(
    `SELECT i.fingerprint, i.title, i.service, i.severity, i.id, counted.firing, counted.resolved
     FROM (SELECT count(*) FILTER (WHERE i.status = 'firing') AS firing,
         count(*) FILTER (WHERE i.status = 'resolved') AS resolved, max(i.seq) AS last
       FROM incidents i WHERE ${IN_PART} GROUP BY i.fingerprint) counted
       CROSS JOIN incidents i WHERE i.seq = counted.last ORDER BY i.fingerprint`,
  )
  const revisions = db.query<HourRow>(
    `SELECT b.destination AS code, ${hourOf('r.told_at')} AS hour, count(*) AS count, count(*) FILTER (WHERE r.way = 'edit') AS edits
     FROM revisions r CROSS JOIN bundles b WHERE b.id = r.bundle AND r.told_at >= ? GROUP BY code, hour`,
  )

  /** `destination`: `chatws`, or `chatws:payments`; `edits` of digests are among the messages. */
  function named({ code, ...row }: HourRow) {
    const { destination, target } = lanes.of(code)
    return { ...row, destination: destinationName({ channel: destination, target }) }
  }

  return {
    /** Counts the next 2,000 incidents below `before` that were committed at `since` or later, newest first. */
    part({ since, before = Number.MAX_SAFE_INTEGER }: { readonly since: number; readonly before: number | undefined }) {
      const { first = null, last = null, oldest = null } = range.get(before) ?? {}
      const part = [first ?? 1, last ?? 0, since] as const
      const { count = 0, oldest: oldestCounted = null } = counted.get(...part) ?? {}
      const reached = oldest !== null && oldest < since
      return {
        /** The next step begins below this number; undefined: this was the last one. */
        before: reached ? undefined : (first ?? undefined),
        /** Commit of the oldest incident that was counted; undefined: none was. */
        oldestAt: oldestCounted ?? undefined,
        /** An incident older than the time of the report was met. */
        reached,
        incidents: count,
        messages: messages.all(...part).map(named),
        pages: pages.all(...part),
        deliveries: deliveries
          .all(...part)
          .map(({ state, byDigest, count }) => ({ state: stateName(state), byDigest: byDigest === 1, count })),
        problems: problems.all(...part),
      }
    },
    /** Counts the revisions of digests that were told at `since` or later. */
    revisions: (since: number) => revisions.all(since).map(named),
  }
}
