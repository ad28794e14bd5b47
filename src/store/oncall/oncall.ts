import type { OncallPolicy } from '../../domain/oncall.ts'
import { PHASE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { OncallFacts, OncallPort } from '../ports/oncall.ts'
import type { Escalations } from './escalations.ts'
import { openClaimPages, openSettlePage } from './pages.ts'
import { openReclaimPages, openShift } from './recovery.ts'

interface OncallDeps {
  readonly escalations: Escalations
  readonly payloads: Pick<Payloads, 'of'>
  readonly policy: OncallPolicy | undefined
}

export function openOncall(context: StoreContext, { escalations, payloads, policy }: OncallDeps): OncallPort {
  const { db, counts, now } = context
  const settle = openSettlePage(context, escalations)
  const pagesDue = query<{ armed: number; overdue: number }>(
    db,
    `SELECT count(*) FILTER (WHERE due_at > ?1) AS armed, count(*) FILTER (WHERE due_at <= ?1) AS overdue
     FROM oncall WHERE signal IS NOT NULL AND phase <= ${PHASE.paging}`,
  )
  const facts = query<OncallFacts>(
    db,
    `SELECT i.id, i.title, i.severity, o.due_at AS dueAt, o.provider
     FROM incidents i LEFT JOIN oncall o ON o.incident = i.seq WHERE i.seq = ?`,
  )
  return {
    nextDueAt: () => (counts.pager.dueAt === Infinity ? undefined : counts.pager.dueAt),
    claim: openClaimPages(context, { advance: escalations.advance, payloads, provider: policy?.provider ?? '' }),
    settle(pageSettlement) {
      const change = settle(pageSettlement)
      if (change === undefined) counts.unknownSettlements++
      return change
    },
    reclaim: openReclaimPages(escalations),
    shift: openShift(context, escalations),
    facts: (incident) => facts.get(incident),
    counters: () => ({ armed: 0, overdue: 0, ...(counts.pager.open === 0 ? {} : pagesDue.get(now())) }),
  }
}
