import type { Draft, Overrides } from '../../../domain/incident.ts'
import { PAYLOAD_SLICE, type PayloadSlice } from '../../journal/payloads.ts'
import type { StoreParts } from '../../parts.ts'
import type {
  HistoryNumbers,
  HistoryPage,
  HistoryQuery,
  HistoryRange,
  StoredIncident,
  StoredSilence,
} from '../../ports/history.ts'

import type { SilenceRow } from '../silences/rows.ts'

type Words = Pick<Draft, 'id' | 'source' | 'sender' | 'title' | 'service' | 'severity' | 'status' | 'fingerprint'>

interface Row extends PayloadSlice, Words {
  readonly created_at: number
  readonly committed_at: number
  readonly acked_at: number | null
  readonly acked_by: string | null
  readonly resolved_at: number | null
  readonly overrides: string | null
}

const PAGE_INCIDENTS = 200
const PAGE_BYTES = 1024 * 1024

/** Stored incidents in the order of their commits. Store thread. */
export type History = ReturnType<typeof openHistory>

export function openHistory({ db, payloads }: Pick<StoreParts, 'db' | 'payloads'>) {
  const at = db.query<{ seq: number; committed_at: number }>(
    'SELECT seq, committed_at FROM incidents WHERE seq >= ? ORDER BY seq LIMIT 1',
  )
  const newest = db.query<{ seq: number | null }>('SELECT max(seq) AS seq FROM incidents')
  const rows = db.query<Row>(
    `SELECT seq, id, created_at, committed_at, source, sender, title, service, severity, status, fingerprint, ${PAYLOAD_SLICE},
       acked_at, acked_by, resolved_at, overrides
     FROM incidents LEFT JOIN particulars USING (seq) WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ${PAGE_INCIDENTS}`,
  )

  const silences = db.query<Pick<SilenceRow, 'id' | 'settings' | 'created_at' | 'ended_at' | 'ended_by'>>(
    `SELECT id, settings, created_at, ended_at, ended_by FROM silences WHERE origin = 'api' AND (ended_at IS NULL OR ended_at > ?) ORDER BY id`,
  )

  /** Returns the number of the first incident from `low` on that was committed at `from` or later, by bisection. */
  function firstSince(from: number, low: number, high: number): number {
    let [below, above] = [low, high + 1]
    while (below < above) {
      const middle = Math.floor((below + above) / 2)
      const found = at.get(middle)
      if (found === undefined || found.seq > high || found.committed_at >= from) above = middle
      else below = found.seq + 1
    }
    return below
  }

  return {
    /** Costs a few reads by number. */
    range({ from, limit }: HistoryQuery): HistoryRange {
      const last = newest.get()?.seq ?? 0
      const oldest = at.get(0)
      if (oldest === undefined) return { first: 1, last: 0, storedSince: null, complete: true }
      const allowed = Math.max(oldest.seq, last - limit + 1)
      const first = firstSince(from, allowed, last)
      const isCut = first === allowed && (at.get(allowed)?.committed_at ?? 0) > from && allowed > 1
      return { first, last, storedSince: oldest.committed_at, complete: !isCut }
    },
    /** Returns the silences that people made and that were live after `from`, epoch milliseconds. */
    silences: (from: number): readonly StoredSilence[] =>
      silences.all(from).map(({ id, settings, created_at, ended_at, ended_by }) => ({
        id,
        settings,
        createdAt: created_at,
        ...(ended_at !== null && ended_by !== null && { ended: { at: ended_at, by: ended_by } }),
      })),
    /** Returns those of the incidents that fit a page. */
    page({ first, last }: HistoryNumbers): HistoryPage {
      const page: StoredIncident[] = []
      let bytes = 0
      for (const row of rows.all(first, last)) {
        page.push(storedIncident(row, payloads.of(row).slice()))
        bytes += row.content_bytes
        if (bytes >= PAGE_BYTES) break
      }
      return page
    },
  }
}

function storedIncident(row: Row, content: Uint8Array): StoredIncident {
  const { seq, content_start, content_bytes, created_at: createdAt, committed_at: committedAt, ...others } = row
  const { acked_at, acked_by, resolved_at, overrides, ...words } = others
  return {
    number: seq,
    draft: { ...words, content, createdAt },
    committedAt,
    ...(overrides !== null && { overrides: JSON.parse(overrides) as Overrides }),
    ...(acked_at !== null && { acknowledged: { at: acked_at, by: acked_by ?? '' } }),
    ...(resolved_at !== null && { resolvedAt: resolved_at }),
  }
}
