/** Work that waits for a quiet moment. Store thread. Each step is bounded by its argument or by one journal entry. */
export interface MaintenancePort {
  /**
   * Deletes at most `maxRows` of the oldest finished incidents beyond `maxIncidents`, and, with what is left of
   * `maxRows`, expired idempotency keys; returns the number of rows. Inside `write` only; failures of the disk leave
   * `write` as `storage_full` or `storage_down`.
   */
  prune(maxRows: number): number
  /**
   * Adds at most `maxRows` incidents to the search index; returns their number, 0 when all are indexed. A transaction
   * of its own without fsync, which a power cut may undo. Throws `storage_full`, `storage_down`.
   */
  index(maxRows: number): number
  /**
   * Moves the write-ahead log into the database file; false: the disk refused, nothing is lost. Outside of `write`
   * only.
   */
  checkpoint(): boolean
  /**
   * Moves one entry that was in quarantine when the database was opened back into the journal; false: there is none
   * left, or no room on the disk. A transaction of its own; meant for moments in which the journal is empty.
   */
  retryQuarantined(): boolean
}
