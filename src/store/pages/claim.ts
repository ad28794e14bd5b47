import type { Page as PageDispatch, Settlement } from '../../domain/delivery/dispatch.ts'
import { type Page, STANDS_MS } from '../../domain/page.ts'
import { DESTINATION_CODE } from '../engine/column-codes.ts'
import { queueOf } from '../engine/counts.ts'
import type { PayloadSlice } from '../journal/payloads.ts'
import { rowOfProblem, type WordsRow, wordsOf } from '../outbox/delivery-dispatch.ts'
import type { StoreParts } from '../parts.ts'
import type { OncallChange } from '../ports/oncall.ts'

/** A larger payload is left out of the page; the dashboard shows it. */
const MAX_CONTENT_BYTES = 65_536

interface StoredRow extends PayloadSlice, WordsRow {
  readonly acked_by: string | null
}

/**
 * Opens the lease of signals that are due, in order of time. They have the words of the incident that the page was made for, and
 * when retention has deleted it those of the problem. Inside `write`.
 */
export function openClaimPages({ db, counts, now, pages, problems, payloads }: StoreParts, provider = '') {
  const due = db.query<Pick<Page, 'problem' | 'target'>>(
    `SELECT problem, target FROM pages WHERE leased = 0 AND signal_at <= ? ORDER BY signal_at, problem, target LIMIT ?`,
  )
  const stored = db.queryList<StoredRow>(
    (places) =>
      `SELECT seq AS incident, id, created_at, source, sender, title, service, severity, status, fingerprint, problem, acked_by, seq, content_start,
         content_bytes FROM incidents WHERE seq IN (${places})`,
  )
  const find = ({ problem, target }: Pick<Page, 'problem' | 'target'>) =>
    pages.rows.find(problem).filter((page) => page.target === target)

  function dispatchOf(page: Page, row: StoredRow | undefined): PageDispatch | undefined {
    const { stand, next, target, providerKnows } = page
    const problem = problems.numbered(page.problem)
    const words = row ?? (problem && rowOfProblem(problem))
    if (stand === undefined || next === undefined || words === undefined) return undefined
    const by = row?.acked_by ?? problem?.ackedBy
    return {
      kind: 'page',
      destination: 'oncall',
      ...{ code: DESTINATION_CODE.oncall, ...wordsOf(words), incident: stand.incident, number: page.problem },
      ...{ signal: next.signal, dueAt: stand.until - STANDS_MS, attempt: next.attempts + 1 },
      ...{ mayDuplicate: providerKnows === 'maybe', dispatchedAt: now() },
      ...(target === '' ? {} : { target }),
      ...(by == null ? {} : { by }),
      ...(row !== undefined && row.content_bytes <= MAX_CONTENT_BYTES && { content: payloads.of(row) }),
    }
  }

  return function claimPages(slots: number): PageDispatch[] {
    if (slots < 1 || queueOf(counts, 'page', DESTINATION_CODE.oncall).dueAt > now()) return []
    const found = due.all(now(), slots)
    pages.advance(found.flatMap(find), { kind: 'claimed', provider })
    const claimed = found.flatMap(find)
    const incidents = new Map(
      stored(claimed.flatMap(({ stand }) => stand?.incident ?? [])).map((row) => [row.seq, row]),
    )
    return claimed.flatMap((page) => dispatchOf(page, incidents.get(page.stand?.incident ?? 0)) ?? [])
  }
}

/**
 * Opens the settling of pages: ledger and page. Returns undefined when the page is not leased. Inside `write`.
 */
export function openSettlePage({ db, pages, ledger }: StoreParts) {
  const { rows, advance } = pages
  const isStored = db.query<object>('SELECT 1 FROM incidents WHERE seq = ?')
  return function settlePage(settlement: Settlement): OncallChange | undefined {
    const { incident, number: problem, target = '', verdict, attempt } = settlement
    const isLeased = ({ stand, next }: Page) => next?.state === 'in flight' && stand?.incident === incident
    const leased = rows.find(problem).filter((page) => page.target === target && isLeased(page))
    if (leased.length === 0) return undefined
    if (isStored.get(incident) !== undefined) ledger.record(settlement)
    const attempted = attempt !== undefined
    const mayDuplicate = attempt?.mayDuplicate ?? false
    const [change] = advance(leased, { kind: 'settled', verdict, attempted, mayDuplicate })
    return change ?? { incident, effects: [] }
  }
}
