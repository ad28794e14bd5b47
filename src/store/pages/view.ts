import type { OncallRecord } from '../../api/oncall/oncall.ts'
import type { Page, Phase } from '../../domain/page.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import { phaseName } from '../engine/column-codes.ts'

/** Columns of `incidents` that show its page. */
export interface ShownRow {
  readonly seq: number
  readonly fingerprint: string
  readonly resolved_at: number | null
  readonly page: number | null
  readonly page_due_at: number | null
  readonly page_provider: string | null
  readonly paged_at: number | null
}

export const SHOWN_COLUMNS = 'page, page_due_at, page_provider, paged_at'

/** Phases that end with the problem; while a page is about the incident, it says so itself. */
const UNTIL_RESOLVED: ReadonlySet<Phase> = new Set<Phase>(['joined', 'paged', 'failed', 'acknowledged'])

/** Returns null for an incident that does not page. `pages`: those of its problem. */
export function oncallRecord(row: ShownRow, pages: readonly Page[]): OncallRecord | null {
  if (row.page === null) return null
  const { timer } = pages.find((page) => page.timer?.incident === row.seq) ?? {}
  const own = timer === undefined ? pages.find(({ stand }) => stand?.incident === row.seq) : undefined
  const next = timer === undefined ? own?.next : ({ signal: 'trigger', at: timer.dueAt } as const)
  const phase = phaseName(row.page)
  const isOver = row.resolved_at !== null && own === undefined && UNTIL_RESOLVED.has(phase)
  const dueAt = timer?.dueAt ?? row.page_due_at ?? 0
  return {
    state: isOver ? 'resolved' : phase,
    due_at: isoTime(dueAt),
    provider: row.page_provider,
    dedup_key: row.fingerprint,
    paged_at: isoTimeOrNull(row.paged_at),
    late_ms: row.paged_at === null ? null : Math.max(0, row.paged_at - dueAt),
    next_signal: timer?.state === 'held' ? null : (next?.signal ?? null),
    next_attempt_at: timer?.state === 'held' ? null : isoTimeOrNull(next?.at ?? null),
  }
}
