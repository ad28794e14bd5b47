import type { Source, Status } from '../../domain/incident.ts'
import { channelsIn } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import { EFFECTIVE_STATUS } from '../incidents/effective-status.ts'
import { PAYLOAD_SLICE, type PayloadSlice, type Payloads } from '../journal/payloads.ts'
import { documentOf, facetTerms, type SearchableIncident } from './document.ts'

/** Payloads read at once, when they are large: a few milliseconds' worth, which a commit may have to wait for. */
const MAX_BYTES = 48 * 1024

/**
 * One page of the index is merged, at most, for so many characters taken into it. They fill a third of a page, at most, and that is written anew
 * on each of the levels, of which there are four at a million incidents and five at thirty. FTS5 left to itself does nothing for a while and
 * then much at once, and a commit would have to wait for that.
 */
const CHARACTERS_PER_MERGED_PAGE = 384
/** However little it is that is taken in, it begins a page. */
const MIN_MERGED_PAGES = 16

/**
 * The index keeps words alone, not the texts they come from. It trails behind the incidents: whoever asks for one above `through` has to
 * look at the incident itself.
 */
export const FULLTEXT = `
CREATE VIRTUAL TABLE search USING fts5(
  words, content='', contentless_delete=1, prefix='3 4', tokenize="unicode61 remove_diacritics 0 tokenchars '='"
);
INSERT INTO search (search, rank) VALUES ('automerge', 0);
INSERT INTO search (search, rank) VALUES ('crisismerge', 64);
CREATE TABLE indexed (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  through INTEGER NOT NULL
);
INSERT INTO indexed (id, through) VALUES (1, 0);
`

/**
 * Sixteen pieces are merged into one, not four: whatever is in the index is written anew half as often. Of a piece 30 % are forgotten before it
 * is written anew for that alone, not 10: where retention deletes as many as come, it would be rewritten all the time.
 */
export const MERGES = `
INSERT INTO search (search, rank) VALUES ('usermerge', 16);
INSERT INTO search (search, rank) VALUES ('deletemerge', 30);
`

interface Row extends Omit<SearchableIncident, 'content'>, PayloadSlice {
  readonly status: Status
  readonly source: Source
  readonly channels_enabled: number
}

/** What `documentOf` and `marksOf` need. */
export const SEARCHABLE_COLUMNS = `seq, title, service, severity, sender, ${EFFECTIVE_STATUS} AS status, source, channels_enabled, ${PAYLOAD_SLICE} FROM incidents`

/** Keeps the index, in the transaction of what it follows: a crash leaves it as far as it says it is. All inside `write`. */
export interface Fulltext {
  /** Takes some incidents into the index, oldest first and at most `maxRows`; returns how many, 0 when there are no more. */
  index(maxRows: number): number
  /** What is said of an incident has changed. */
  reindex(seq: number): void
  /** Forgets incidents that are being deleted. */
  remove(first: number, last: number): void
}

export function openFulltext({ db, counts }: StoreContext, payloads: Pick<Payloads, 'of'>): Fulltext {
  counts.indexedThrough = query<{ through: number }>(db, 'SELECT through FROM indexed').get()?.through ?? 0
  const next = query<Row>(db, `SELECT ${SEARCHABLE_COLUMNS} WHERE seq > ? ORDER BY seq LIMIT ?`)
  const one = query<Row>(db, `SELECT ${SEARCHABLE_COLUMNS} WHERE seq = ?`)
  const insert = command(db, 'INSERT INTO search (rowid, words) VALUES (?, ?)')
  const remove = command(db, 'DELETE FROM search WHERE rowid BETWEEN ? AND ?')
  const move = command(db, 'UPDATE indexed SET through = ?')
  const merge = command(db, "INSERT INTO search (search, rank) VALUES ('merge', ?)")

  /** Returns how many characters went in. */
  function add(row: Row): number {
    const facets = facetTerms({ ...row, channels: channelsIn(row.channels_enabled) })
    const words = facets.join(' ') + documentOf({ ...row, content: payloads.of(row) })
    insert.run(row.seq, words)
    return words.length
  }
  return {
    index(maxRows) {
      let [taken, bytes, characters] = [0, 0, 0]
      for (const row of next.iterate(counts.indexedThrough, maxRows)) {
        characters += add(row)
        counts.indexedThrough = row.seq
        taken++
        bytes += row.content_bytes
        if (bytes >= MAX_BYTES) break
      }
      if (taken === 0) return 0
      move.run(counts.indexedThrough)
      merge.run(Math.max(MIN_MERGED_PAGES, Math.ceil(characters / CHARACTERS_PER_MERGED_PAGE)))
      return taken
    },
    reindex(seq) {
      const row = seq <= counts.indexedThrough ? one.get(seq) : undefined
      if (row === undefined) return
      remove.run(seq, seq)
      add(row)
    },
    remove(first, last) {
      const through = Math.min(last, counts.indexedThrough)
      if (first <= through) remove.run(first, through)
    },
  }
}
