/**
 * An incident is `resolved` when its sender reported it so or when it was resolved here. The column `status` keeps what
 * the sender reported; `resolved_at` is set by an operator, or when the sender reports the end of a problem that pages.
 */
export const EFFECTIVE_STATUS = `CASE WHEN resolved_at IS NULL THEN status ELSE 'resolved' END`

/**
 * Brings the search index in line with the rule for incidents that were resolved by hand under an earlier version: the
 * index is built again from the oldest of them on, in the background.
 */
export const REINDEX_RESOLVED = `
UPDATE indexed SET through = min(through,
  coalesce((SELECT min(seq) - 1 FROM incidents WHERE resolved_at IS NOT NULL AND status <> 'resolved'), through));
DELETE FROM search WHERE rowid > (SELECT through FROM indexed);
`
