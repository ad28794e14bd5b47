/**
 * A bundle is the digest of one storm at one destination. Its places are numbered from 1 to `folded` without gaps, and
 * `dispatches` holds one delivery for each; it is told up to `told` by revisions. `wound`: places whose incidents were
 * concluded after that. The digest itself is a row of `dispatches` with the number of the bundle.
 *
 * `bundle_kinds`: the problems of a storm, one row for each fingerprint. `firing` and `resolved` count places, the two
 * `singly_*` incidents with a message of their own; `handed_count` and `told_count` are places in the revision that was
 * handed out and confirmed last. Problems known from before the storm have zeros. `level`: the loudest rank.
 */
export const BUNDLES = `
CREATE TABLE bundles (
  id INTEGER PRIMARY KEY,
  destination INTEGER NOT NULL,
  since INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  revision INTEGER NOT NULL DEFAULT 0,
  folded INTEGER NOT NULL DEFAULT 0,
  handed INTEGER NOT NULL DEFAULT 0,
  told INTEGER NOT NULL DEFAULT 0,
  wound INTEGER NOT NULL DEFAULT 0,
  message_id TEXT,
  posted_at INTEGER,
  dead_reason TEXT
);

CREATE TABLE bundle_kinds (
  bundle INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  title TEXT NOT NULL,
  service TEXT NOT NULL,
  severity TEXT NOT NULL,
  level INTEGER NOT NULL,
  firing INTEGER NOT NULL,
  resolved INTEGER NOT NULL,
  singly_firing INTEGER NOT NULL,
  singly_resolved INTEGER NOT NULL,
  handed_count INTEGER NOT NULL,
  told_count INTEGER NOT NULL,
  last_status TEXT NOT NULL,
  first_incident INTEGER NOT NULL,
  first_id TEXT NOT NULL,
  last_incident INTEGER NOT NULL,
  last_id TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (bundle, fingerprint)
) WITHOUT ROWID;

CREATE TABLE revisions (
  bundle INTEGER NOT NULL,
  number INTEGER NOT NULL,
  through INTEGER NOT NULL,
  way TEXT NOT NULL,
  told_at INTEGER NOT NULL,
  message_id TEXT,
  PRIMARY KEY (bundle, number)
) WITHOUT ROWID;

CREATE INDEX oncall_joined ON oncall (fingerprint) WHERE phase = 7;
`
