import type { Sql } from './engine/sql.ts'
import { command, query, withoutNul } from './engine/statement.ts'
import type { CursorPort } from './ports/cursors.ts'

export const CURSORS = `
CREATE TABLE cursors (
  source TEXT PRIMARY KEY,
  cursor TEXT NOT NULL
) WITHOUT ROWID;
`

export function openLogCursors(db: Sql): CursorPort {
  const all = query<{ source: string; cursor: string }>(db, 'SELECT source, cursor FROM cursors')
  const upsert = command(
    db,
    'INSERT INTO cursors (source, cursor) VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET cursor = excluded.cursor',
  )
  return {
    load: () => Object.fromEntries(all.all().map(({ source, cursor }) => [source, JSON.parse(cursor)])),
    save(cursors) {
      for (const [source, cursor] of Object.entries(cursors)) upsert.run(withoutNul(source), JSON.stringify(cursor))
    },
  }
}
