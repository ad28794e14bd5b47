/**
 * An incident is `resolved` when its sender reported it so or when it was resolved here. The column `status` keeps what
 * the sender reported; `resolved_at` is set by an operator, or when the sender reports the end of a problem that pages.
 */
export const EFFECTIVE_STATUS = `CASE WHEN resolved_at IS NULL THEN status ELSE 'resolved' END`

/** Queues the incidents that an earlier version indexed as firing although they were resolved. */
export const REINDEX_RESOLVED = `
CREATE TABLE reindex (seq INTEGER PRIMARY KEY);
INSERT INTO reindex (seq) SELECT seq FROM incidents
  WHERE resolved_at IS NOT NULL AND status <> 'resolved' AND seq <= (SELECT through FROM indexed);
`
