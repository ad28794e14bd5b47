import { DESTINATION_CODE } from '../engine/column-codes.ts'
import { queueOf } from '../engine/counts.ts'
import type { StoreParts } from '../parts.ts'
import type { OncallFacts } from '../ports/oncall.ts'
import { openShift } from './recovery.ts'

/**
 * Store thread. `shift` inside a transaction only, which failures of the disk leave as `storage_full` or
 * `storage_down`. The others anywhere.
 */
export type OncallPort = ReturnType<typeof openOncall>

export function openOncall(context: StoreParts) {
  const { db, counts, now } = context
  const pagesDue = db.query<{ armed: number; overdue: number }>(
    `SELECT count(*) FILTER (WHERE due_at > ?1) AS armed, count(*) FILTER (WHERE due_at <= ?1 OR due_at IS NULL) AS overdue
     FROM (SELECT due_at, signal FROM pages WHERE leased = 0 AND signal_at IS NOT NULL UNION ALL
       SELECT due_at, signal FROM pages WHERE leased = 1) AS waiting WHERE signal = 'trigger'`,
  )
  const facts = db.query<OncallFacts>(
    `SELECT id, title, severity, page_due_at AS "dueAt", page_provider AS provider FROM incidents WHERE seq = ?`,
  )
  return {
    /** Moves every timer by `byMs`, which is negative when the machine's clock was set back. */
    shift: openShift(context),
    /** Returns undefined when the incident is not stored any more. */
    facts: (incident: number): OncallFacts | undefined => facts.get(incident),
    /** `armed`: timers that run; `overdue`: pages that are due and not taken by the provider. */
    counters() {
      const { pending, sending } = queueOf(counts, 'page', DESTINATION_CODE.oncall)
      const due = pending + sending === 0 ? undefined : pagesDue.get(now())
      /** Pages since opening that were too many, or whose problem ended too long ago. */
      const { forgottenPages: forgotten } = counts
      return { forgotten, armed: 0, overdue: 0, ...due }
    },
  }
}
