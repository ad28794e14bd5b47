import type { SearchIndex, SearchTerm } from '../engine/sql.ts'
import type { Statements } from '../engine/statement.ts'

/** PostgreSQL bounds a word to 2 KiB. Longer than any query, so that no answer changes. */
const MAX_WORD_CHARACTERS = 500

export function openTsvector(db: Statements): SearchIndex {
  const insert = db.command('INSERT INTO search (seq, words) VALUES (?, ?::tsvector)')
  const remove = db.command('DELETE FROM search WHERE seq BETWEEN ? AND ?')
  const find = db.query<{ seq: number }>(
    'SELECT seq FROM search WHERE words @@ ?::tsquery AND seq < ? ORDER BY seq DESC LIMIT ?',
  )
  const count = db.query<{ count: number }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM search WHERE words @@ ?::tsquery LIMIT ?) found',
  )
  return {
    add: (seq, words) => insert.run(seq, vectorOf(words)),
    remove: (first, last) => remove.run(first, last),
    tidy() {},
    find: (match, before, limit) => find.all(match, before, limit).map(({ seq }) => seq),
    count: (match, limit) => count.get(match, limit)?.count ?? 0,
    matchOf: (terms) => terms.map(termOf).join(' & '),
  }
}

/** Words are letters and digits, facets begin with `=`: in quotes none of them is an operator. */
function vectorOf(words: string): string {
  const places = words.split(' ').filter((word) => word !== '')
  const keyed = places.map((word, at) => ({ key: word.slice(0, MAX_WORD_CHARACTERS), place: at + 1 }))
  const byKey = Map.groupBy(keyed, ({ key }) => key)
  return Array.from(byKey, ([key, all]) => `'${key}':${all.map(({ place }) => place).join(',')}`).join(' ')
}

function termOf({ words, isPrefix }: SearchTerm): string {
  const lexemes = words.map((word) => `'${word}'`)
  return `(${lexemes.join(' <-> ')}${isPrefix ? ':*' : ''})`
}
