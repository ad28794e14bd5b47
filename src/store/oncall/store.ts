import type { OncallPolicy } from '../../domain/oncall.ts'
import type { OncallFacts, OncallStore } from '../contract.ts'
import { PHASE } from '../engine/column-codes.ts'
import type { Tools } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { Contents } from '../journal/payloads.ts'
import type { Escalations } from './escalations.ts'
import { openSettlePage, openTakePages } from './pages.ts'
import { openReclaimPages, openShift } from './recovery.ts'

interface OncallParts {
  readonly escalations: Escalations
  readonly contents: Pick<Contents, 'of'>
  readonly policy: OncallPolicy | undefined
}

export function openOncall(tools: Tools, { escalations, contents, policy }: OncallParts): OncallStore {
  const { db, tally, now } = tools
  const settle = openSettlePage(tools, escalations)
  const unpaged = query<{ armed: number; overdue: number }>(
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
    nextDueAt: () => (tally.pager.dueAt === Infinity ? undefined : tally.pager.dueAt),
    take: openTakePages(tools, { apply: escalations.apply, contents, provider: policy?.provider ?? '' }),
    settle(told) {
      const change = settle(told)
      if (change === undefined) tally.unknownSettlements++
      return change
    },
    reclaim: openReclaimPages(escalations),
    shift: openShift(tools, escalations),
    facts: (incident) => facts.get(incident),
    counters: () => ({ armed: 0, overdue: 0, ...(tally.pager.open === 0 ? {} : unpaged.get(now())) }),
  }
}
