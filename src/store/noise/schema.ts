/**
 * A bundle is the digest of one storm at one destination. Its places are numbered from 1 to `folded` without gaps, and
 * `dispatches` holds one delivery for each; it is told up to `told` by revisions. `wound`: places whose incidents were
 * concluded after that. The digest itself is a row of `dispatches` with the number of the bundle.
 *
 * `bundle_kinds`: the problems of a storm, one row for each fingerprint. `firing` and `resolved` count places, the two
 * `singly_*` incidents with a message of their own; `handed_count` and `told_count` are places in the revision that was
 * handed out and confirmed last. Problems known from before the storm have zeros. `level`: the loudest rank.
 *
 * A bundle with a subject tells of the repeats of one problem (its fingerprint) at one destination. `first_incident`: its
 * message is the one to edit; null: there is none. `due_at`: the next revision, if anything is untold. `answer`: the bundle
 * takes no more places; the number of the resolved incident whose message tells of the rest, 0: a revision of its own
 * does. `since` is when the problem began to fire, `posted_at` the latest message about it. `flap`: 1, it tells of a
 * problem that flaps; 2, the message of its end is due; 3, that was sent; NULL, it tells of repeats. `firing`: its places of
 * firing incidents. `storm`: numbers the bundles of storms.
 *
 * `flaps`: problems that flap: since when, until when if their state does not change, the loudest severity rank, and the
 * alerts of their group (JSON; NULL: unknown, or no group).
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
  dead_reason TEXT,
  subject TEXT,
  first_incident INTEGER,
  answer INTEGER,
  due_at INTEGER,
  storm INTEGER,
  flap INTEGER,
  firing INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX bundles_closed ON bundles (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX bundles_open ON bundles (destination) WHERE closed_at IS NULL AND subject IS NULL;
CREATE INDEX bundles_destination ON bundles (destination);
CREATE INDEX bundles_storm ON bundles (storm) WHERE storm IS NOT NULL;
CREATE INDEX bundles_subject ON bundles (destination, subject) WHERE subject IS NOT NULL AND closed_at IS NULL;
CREATE INDEX bundles_due ON bundles (destination, due_at) WHERE subject IS NOT NULL AND closed_at IS NULL AND (folded > told OR flap = 2);

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

CREATE INDEX revisions_told ON revisions (told_at);

CREATE TABLE flaps (
  fingerprint TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  over_at INTEGER NOT NULL,
  level INTEGER NOT NULL,
  members TEXT
);
`
