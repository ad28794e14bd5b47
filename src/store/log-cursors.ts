import type { Sql } from './engine/sql.ts'
import { command, query, withoutNul } from './engine/statement.ts'

/** Read position of each log source, by its name. The fields belong to the source. */
export interface SourceCursors {
  readonly [source: string]: { readonly [field: string]: unknown }
}

/**
 * Read positions of the log agent. Store thread. `save` is durable when it returns, and throws `storage_full`,
 * `storage_down`.
 */
export function openLogCursors(db: Sql) {
  const all = query<{ source: string; cursor: string }>(db, 'SELECT source, cursor FROM cursors')
  const upsert = command(
    db,
    'INSERT INTO cursors (source, cursor) VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET cursor = excluded.cursor',
  )
  return {
    load: (): SourceCursors => Object.fromEntries(all.all().map(({ source, cursor }) => [source, JSON.parse(cursor)])),
    /** Replaces the cursors of the sources that are named, and keeps all others. */
    save(cursors: SourceCursors): void {
      for (const [source, cursor] of Object.entries(cursors)) upsert.run(withoutNul(source), JSON.stringify(cursor))
    },
  }
}
