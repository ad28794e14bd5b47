/** Work that waits for a quiet moment. Store thread. Each step is bounded by its argument. */
export interface MaintenancePort {
  /**
   * Deletes at most `maxRows` of the oldest finished incidents beyond `maxIncidents`, and, with what is left of
   * `maxRows`, expired idempotency keys; returns the number of rows. Turns that apply do so now and then by themselves.
   */
  prune(maxRows: number): number
  /**
   * Adds at most `maxRows` incidents to the search index; returns their number, 0 when all are indexed. Without
   * fsync: a power cut may undo it.
   */
  index(maxRows: number): number
  /**
   * Moves the write-ahead log into the database file, and so releases all that is applied; false: the disk refused,
   * nothing is lost. Never throws.
   */
  checkpoint(): boolean
}
