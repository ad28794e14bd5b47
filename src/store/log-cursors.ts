import { type Statements, withoutNul } from './engine/statement.ts'

/** Read position of each log source, by its name. The fields belong to the source. */
export interface SourceCursors {
  readonly [source: string]: { readonly [field: string]: unknown }
}

/**
 * Read positions of the log agent. Store thread. `save` is durable when it returns, and throws `storage_full`,
 * `storage_down`.
 */
export function openLogCursors(db: Statements) {
  const all = db.query<{ source: string; cursor: string }>('SELECT source, cursor FROM cursors')
  const upsert = db.command(
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
