import type { DatabaseSync } from 'node:sqlite'
import { command, query, withoutNul } from './engine/statement.ts'

export const CURSORS = `
CREATE TABLE cursors (
  source TEXT PRIMARY KEY,
  cursor TEXT NOT NULL
) WITHOUT ROWID;
`

/** Where the log sources go on, by name; what a cursor holds is the source's own affair. */
export interface SourceCursors {
  readonly [source: string]: { readonly [field: string]: unknown }
}

/** `remember` belongs inside `write`; those of sources that are not named stay. */
export function openLogCursors(db: DatabaseSync) {
  const all = query<{ source: string; cursor: string }>(db, 'SELECT source, cursor FROM cursors')
  const upsert = command(db, 'INSERT OR REPLACE INTO cursors (source, cursor) VALUES (?, ?)')
  return {
    loadCursors: (): SourceCursors =>
      Object.fromEntries(all.all().map(({ source, cursor }) => [source, JSON.parse(cursor)])),
    saveCursors(loadCursors: SourceCursors): void {
      for (const [source, cursor] of Object.entries(loadCursors)) upsert.run(withoutNul(source), JSON.stringify(cursor))
    },
  }
}
