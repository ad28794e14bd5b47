import { DESTINATION_CODE, PHASE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { queueOf } from '../engine/counts.ts'
import { query } from '../engine/statement.ts'
import type { OncallFacts, OncallPort } from '../ports/oncall.ts'
import type { Escalations } from './escalations.ts'
import { openShift } from './recovery.ts'

export function openOncall(context: StoreContext, escalations: Escalations): OncallPort {
  const { db, counts, now } = context
  const pagesDue = query<{ armed: number; overdue: number }>(
    db,
    `SELECT count(*) FILTER (WHERE due_at > ?1) AS armed, count(*) FILTER (WHERE due_at <= ?1) AS overdue
     FROM oncall WHERE phase <= ${PHASE.paging}`,
  )
  const facts = query<OncallFacts>(
    db,
    `SELECT i.id, i.title, i.severity, o.due_at AS dueAt, o.provider
     FROM incidents i LEFT JOIN oncall o ON o.incident = i.seq WHERE i.seq = ?`,
  )
  return {
    shift: openShift(context, escalations),
    facts: (incident) => facts.get(incident),
    counters() {
      const { pending, sending } = queueOf(counts, 'page', DESTINATION_CODE.oncall)
      const { forgottenPages: forgotten } = counts
      return { forgotten, armed: 0, overdue: 0, ...(pending + sending === 0 ? {} : pagesDue.get(now())) }
    },
  }
}
