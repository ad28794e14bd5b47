/**
 * An incident is `resolved` when its sender reported it so or when it was resolved here. The column `status` keeps what
 * the sender reported; `resolved_at` is set by an operator, or when the sender reports the end of a problem that pages.
 */
export const EFFECTIVE_STATUS = `CASE WHEN resolved_at IS NULL THEN status ELSE 'resolved' END`
