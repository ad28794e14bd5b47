import type { Source, Status } from '../../domain/incident.ts'
import { channelsIn } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import { EFFECTIVE_STATUS } from '../incidents/rows.ts'
import { PAYLOAD_SLICE, type PayloadSlice, type Payloads } from '../journal/payloads.ts'
import { documentOf, facetTerms, type SearchableIncident } from './document.ts'

/** Payload bytes after which a step ends early, so that a turn waits a few milliseconds at most. */
const MAX_BYTES = 48 * 1024

/**
 * Index without the texts (contentless FTS5). It lags behind the incidents; those above `through` are not in it. `reindex`:
 * incidents to index again.
 *
 * usermerge 16 instead of 4: more segments are merged at a time, so that entries are rewritten half as often.
 * deletemerge 30 instead of 10: a segment is rewritten for its deleted entries alone when 30 % are deleted; with 10 %,
 * retention under load would cause that all the time.
 */
export const FULLTEXT = `
CREATE VIRTUAL TABLE search USING fts5(
  words, content='', contentless_delete=1, prefix='3 4', tokenize="unicode61 remove_diacritics 0 tokenchars '='"
);
INSERT INTO search (search, rank) VALUES ('automerge', 0);
INSERT INTO search (search, rank) VALUES ('crisismerge', 64);
INSERT INTO search (search, rank) VALUES ('usermerge', 16);
INSERT INTO search (search, rank) VALUES ('deletemerge', 30);
CREATE TABLE indexed (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  through INTEGER NOT NULL
);
INSERT INTO indexed (id, through) VALUES (1, 0);
CREATE TABLE reindex (seq INTEGER PRIMARY KEY);
`

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
  counts.indexedThrough = query<{ through: number }>(db, 'SELECT through FROM indexed').get()?.through ?? 0
  const next = query<Row>(db, `SELECT ${SEARCHABLE_COLUMNS} WHERE seq > ? ORDER BY seq LIMIT ?`)
  const one = query<Row>(db, `SELECT ${SEARCHABLE_COLUMNS} WHERE seq = ?`)
  const queued = query<{ seq: number }>(db, 'SELECT seq FROM reindex ORDER BY seq LIMIT ?')
  const queue = command(db, 'INSERT INTO reindex (seq) VALUES (?) ON CONFLICT DO NOTHING')
  const unqueue = command(db, 'DELETE FROM reindex WHERE seq = ?')
  const move = command(db, 'UPDATE indexed SET through = ?')
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
      for (const row of taken > 0 ? [] : next.iterate(counts.indexedThrough, maxRows)) {
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
