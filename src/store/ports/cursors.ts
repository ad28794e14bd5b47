/** Read position of each log source, by its name. The fields belong to the source. */
export interface SourceCursors {
  readonly [source: string]: { readonly [field: string]: unknown }
}

/**
 * Read positions of the log agent. Store thread. `save` is durable when it returns, and throws `storage_full`,
 * `storage_down`.
 */
export interface CursorPort {
  /** Replaces the cursors of the sources that are named, and keeps all others. */
  save(cursors: SourceCursors): void
  load(): SourceCursors
}
