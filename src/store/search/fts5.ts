import type { SearchIndex } from '../engine/sql.ts'
import type { Statements } from '../engine/statement.ts'

/**
 * Merges one page of the index for this many indexed characters at most. The characters fill at most a third of a page,
 * which merging rewrites once on each level: four levels at a million incidents, five at thirty million. Automatic
 * merges are off, because FTS5 saves them up and then merges much at once while a turn waits.
 */
const CHARACTERS_PER_MERGED_PAGE = 384
/** Smallest merge of a step: even a step with few characters writes a page of its own. */
const MIN_MERGED_PAGES = 16

/** The index of SQLite: contentless FTS5. */
export function openFts5(db: Statements): SearchIndex {
  const insert = db.command('INSERT INTO search (rowid, words) VALUES (?, ?)')
  const remove = db.command('DELETE FROM search WHERE rowid BETWEEN ? AND ?')
  const merge = db.command("INSERT INTO search (search, rank) VALUES ('merge', ?)")
  const find = db.query<{ seq: number }>(
    'SELECT rowid AS seq FROM search WHERE search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
  )
  const count = db.query<{ count: number }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?) found',
  )
  return {
    add: (seq, words) => insert.run(seq, words),
    remove: (first, last) => remove.run(first, last),
    tidy: (characters) => merge.run(Math.max(MIN_MERGED_PAGES, Math.ceil(characters / CHARACTERS_PER_MERGED_PAGE))),
    find: (match, before, limit) => find.all(match, before, limit).map(({ seq }) => seq),
    count: (match, limit) => count.get(match, limit)?.count ?? 0,
    // Words are letters and digits only, so nothing in quotes can be an operator.
    matchOf: (terms) => terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND '),
  }
}
