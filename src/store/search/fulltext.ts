import type { Source, Status } from '../../domain/incident.ts'
import { channelsIn } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { EFFECTIVE_STATUS } from '../incidents/rows.ts'
import { PAYLOAD_SLICE, type PayloadSlice, type Payloads } from '../journal/payloads.ts'
import { documentOf, facetTerms, type SearchableIncident } from './document.ts'

/** Payload bytes after which a step ends early, so that a turn waits a few milliseconds at most. */
const MAX_BYTES = 48 * 1024

interface Row extends Omit<SearchableIncident, 'content'>, PayloadSlice {
  readonly status: Status
  readonly source: Source
  readonly channels_enabled: number
}

/** Columns for `documentOf` and `facetTerms`. */
export const SEARCHABLE_COLUMNS = `seq, title, service, severity, sender, ${EFFECTIVE_STATUS} AS status, source, channels_enabled, ${PAYLOAD_SLICE} FROM incidents`

/**
 * The search index, changed in the transaction of the incidents: a crash leaves `through` and the index in step. All
 * inside `write`.
 */
export type Fulltext = ReturnType<typeof openFulltext>

export function openFulltext({ db, engine, counts }: StoreContext, payloads: Pick<Payloads, 'of'>) {
  counts.indexedThrough = db.query<{ through: number }>('SELECT through FROM indexed').get()?.through ?? 0
  const next = db.query<Row>(`SELECT ${SEARCHABLE_COLUMNS} WHERE seq > ? ORDER BY seq LIMIT ?`)
  const one = db.query<Row>(`SELECT ${SEARCHABLE_COLUMNS} WHERE seq = ?`)
  const queued = db.query<{ seq: number }>('SELECT seq FROM reindex ORDER BY seq LIMIT ?')
  const queue = db.command('INSERT INTO reindex (seq) VALUES (?) ON CONFLICT DO NOTHING')
  const unqueue = db.command('DELETE FROM reindex WHERE seq = ?')
  const move = db.command('UPDATE indexed SET through = ?')
  const { search } = engine

  /** Indexes one incident; returns the number of characters. */
  function add(row: Row): number {
    const facets = facetTerms({ ...row, channels: channelsIn(row.channels_enabled) })
    const words = facets.join(' ') + documentOf({ ...row, content: payloads.of(row) })
    search.add(row.seq, words)
    return words.length
  }
  return {
    /** Indexes at most `maxRows` incidents, queued ones first, then oldest first; returns their number, 0 when all are indexed. */
    index(maxRows: number): number {
      let [taken, bytes, characters] = [0, 0, 0]
      for (const { seq } of queued.all(maxRows)) {
        const row = one.get(seq)
        search.remove(seq, seq)
        unqueue.run(seq)
        characters += row === undefined ? 0 : add(row)
        bytes += row?.content_bytes ?? 0
        taken++
        if (bytes >= MAX_BYTES) break
      }
      for (const row of taken > 0 ? [] : next.all(counts.indexedThrough, maxRows)) {
        characters += add(row)
        counts.indexedThrough = row.seq
        taken++
        bytes += row.content_bytes
        if (bytes >= MAX_BYTES) break
      }
      if (taken === 0) return 0
      move.run(counts.indexedThrough)
      search.tidy(characters)
      return taken
    },
    /** Indexes an incident again after its channels or its status changed; nothing when it is not indexed yet. */
    reindex(seq: number): void {
      const row = seq <= counts.indexedThrough ? one.get(seq) : undefined
      if (row === undefined) return
      search.remove(seq, seq)
      add(row)
    },
    /** Has an incident indexed again by a later `index`. Until then lists leave it out where its status does not match. */
    queueReindex(seq: number): void {
      if (seq <= counts.indexedThrough) queue.run(seq)
    },
    /** Removes a range of incidents that is being deleted. */
    remove(first: number, last: number): void {
      const through = Math.min(last, counts.indexedThrough)
      if (first <= through) search.remove(first, through)
    },
  }
}
