import { SQLITE_40 } from './sqlite-40.ts'
import { SQLITE_41 } from './sqlite-41.ts'
import { SQLITE_42 } from './sqlite-42.ts'

/**
 * Payloads have a table of their own, by batch, so that a change of status never rewrites one; so have sent texts. `previous`
 * of an incident is the one before it of the same fingerprint. `oncall_open`: 1, its page is to be sent. `page` and what follows
 * show the page that it was made for; NULL: it does not page. `attempts`: see `openLedger`.
 */
const INCIDENTS = `
CREATE TABLE incidents (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, committed_at INTEGER NOT NULL,
  source TEXT NOT NULL, sender TEXT NOT NULL, title TEXT NOT NULL, service TEXT NOT NULL, severity TEXT NOT NULL,
  status TEXT NOT NULL, fingerprint TEXT NOT NULL, channels_enabled INTEGER NOT NULL,
  channels_notified INTEGER NOT NULL DEFAULT 0, notify_status INTEGER NOT NULL DEFAULT 0, notify_error TEXT,
  acked_at INTEGER, acked_by TEXT, resolved_at INTEGER, oncall_triggered INTEGER NOT NULL DEFAULT 0,
  oncall_error TEXT, oncall_open INTEGER NOT NULL DEFAULT 0, content_start INTEGER NOT NULL DEFAULT 0,
  content_bytes INTEGER NOT NULL DEFAULT 0, decision INTEGER, silence INTEGER,
  problem INTEGER NOT NULL, previous INTEGER, resolved_by TEXT, changed_at INTEGER, members TEXT, page INTEGER,
  page_due_at INTEGER, paged_at INTEGER, page_provider TEXT
);
CREATE INDEX incidents_finished ON incidents (seq) WHERE notify_status <> 0 AND oncall_open = 0;

CREATE TABLE contents (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE particulars (seq INTEGER PRIMARY KEY, overrides TEXT, origin TEXT);

CREATE TABLE attempts (
  incident INTEGER NOT NULL, channel INTEGER NOT NULL, number INTEGER NOT NULL, started_at INTEGER NOT NULL,
  duration_ms REAL NOT NULL, outcome TEXT NOT NULL, detail TEXT NOT NULL, message_id TEXT,
  may_duplicate INTEGER NOT NULL, render_fault TEXT, render_ms REAL NOT NULL, limiter_wait_ms REAL NOT NULL,
  text TEXT, handed_out_at INTEGER, connected_ms REAL,
  PRIMARY KEY (incident, channel, number)
) WITHOUT ROWID;

CREATE TABLE idempotency (
  age INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, incident_id TEXT NOT NULL, created_at INTEGER NOT NULL
);

CREATE TABLE health (id INTEGER PRIMARY KEY, checked_at INTEGER NOT NULL, ballast BLOB NOT NULL);
`

/**
 * The outbox: one row for each dispatch, all kinds. Deliveries and pages lie beside those of the neighbouring
 * incidents, which are made, settled and deleted together. `detail` is opaque to SQL: JSON of what only follow-ups and
 * resent deliveries have,. The indexes are partial, over rare states: a delivery that is leased in the
 * transaction that makes it touches none. Their conditions name `state` alone, because SQLite prepares a statement anew at
 * each run when it binds a value to a column of such a condition.
 *
 * Messages have ranks; those that a digest tells of have a place in its bundle. `fallback_of`: number of the destination
 * that a delivery stands in for; null: routes or the request chose it. `placed_at`: when it was made, which then is later
 * than the commit.
 *
 * `pages`: a problem at a destination of the on-call provider (empty: its default one). What the page stands for: `phase`,
 * `incident`, `stands_until`, `level` (severity rank), `members` (JSON). The page to come: `timer` and what follows. The next `signal`, its earliest time, and whether it is with the pager.
 *
 * `notices`: what only notices have. `about`: the subject; null: the notice is the account of a silence, in `silence` as JSON.
 * `first_at`: first claim.
 *
 * `destinations`: those that dispatches are kept for. `open_since` and `placed_through` are those of an `Outage`. `used`: an
 * incident with a delivery there; the last one is at most 256 above.
 */
const DISPATCHES = `
CREATE TABLE process (life INTEGER NOT NULL);
INSERT INTO process (life) VALUES (0);

CREATE TABLE dispatches (
  incident INTEGER NOT NULL, kind INTEGER NOT NULL, destination INTEGER NOT NULL, number INTEGER NOT NULL,
  state INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, earlier_attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER, target TEXT, may_duplicate INTEGER NOT NULL DEFAULT 0, lease_owner INTEGER, lease_until INTEGER,
  message_id TEXT, dead_reason TEXT, detail TEXT, rank INTEGER NOT NULL DEFAULT 2, bundle INTEGER, place INTEGER,
  fallback_of INTEGER, placed_at INTEGER,
  PRIMARY KEY (incident, kind, destination, number)
) WITHOUT ROWID;
CREATE INDEX dispatches_due ON dispatches (kind, destination, rank, due_at, incident) WHERE state = 0;
CREATE INDEX dispatches_dead ON dispatches (kind, destination, incident) WHERE state = 3;
CREATE INDEX dispatches_bundle ON dispatches (bundle, place) WHERE bundle IS NOT NULL;

CREATE TABLE notices (number INTEGER PRIMARY KEY, about TEXT, first_at INTEGER, ended_at INTEGER, silence TEXT);

CREATE TABLE pages (
  problem INTEGER NOT NULL, target TEXT NOT NULL, heard INTEGER NOT NULL DEFAULT 0, provider TEXT, phase INTEGER,
  incident INTEGER, stands_until INTEGER, level INTEGER, members TEXT, timer INTEGER, timer_incident INTEGER,
  due_at INTEGER, wait_ms INTEGER, timer_level INTEGER, timer_members TEXT, signal TEXT,
  signal_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0, leased INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (problem, target)
) WITHOUT ROWID;
CREATE INDEX pages_due ON pages (signal_at, problem, target) WHERE leased = 0 AND signal_at IS NOT NULL;
CREATE INDEX pages_leased ON pages (problem) WHERE leased = 1;
CREATE INDEX pages_failed ON pages (incident) WHERE phase = 3;
CREATE INDEX pages_open ON pages (incident) WHERE signal_at IS NULL AND timer IS NULL;

CREATE TABLE destinations (
  code INTEGER PRIMARY KEY, channel INTEGER NOT NULL, target TEXT NOT NULL DEFAULT '', storm TEXT, open_since INTEGER,
  placed_through INTEGER, used INTEGER NOT NULL DEFAULT 0,
  UNIQUE (channel, target)
);
INSERT INTO destinations (code, channel) VALUES (0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6);
`

/**
 * One row for each fingerprint; `id` is the number of its first incident, and defaults are those of a problem with that one.
 * The fingerprint needs no index: memory has the numbers of all. `state`: 0 firing, 1 resolved. `brief`: 1 when its sender never
 * resolves, 2 when its door ends it. `flap_*`: it flaps since when, until when if its state does not change, with the loudest severity rank and the
 * alerts of its group since then (JSON; null: unknown, or no group). `pairings` are walks along `incidents.previous` that are
 * not finished. Problems on disk have incidents up to `through`. `opening`: the incident with which it began to fire last.
 *
 * `tellings`: what a destination knows of a problem, and what a silence holds of it, as a `Telling`. Most tellings of a long
 * silence may be of problems that are over: these have no `held`.
 */
const PROBLEMS = `
CREATE TABLE problems (
  id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, state INTEGER NOT NULL DEFAULT 0, brief INTEGER NOT NULL, last_at
  INTEGER NOT NULL, since INTEGER NOT NULL, opened_at INTEGER NOT NULL, opening INTEGER NOT NULL, first_at INTEGER NOT NULL, firing INTEGER NOT
  NULL DEFAULT 1, firing_total INTEGER NOT NULL DEFAULT 1, level INTEGER NOT NULL, resolved_total INTEGER NOT NULL
  DEFAULT 0, ended_by TEXT, resolved_by TEXT, sender_ended_at INTEGER, acked_at INTEGER, acked_by TEXT, acked_until INTEGER, flap_score REAL
  NOT NULL DEFAULT 0, flap_at INTEGER NOT NULL, members TEXT, title TEXT NOT NULL, service TEXT NOT NULL, severity TEXT
  NOT NULL, sender TEXT NOT NULL, source TEXT NOT NULL, last_incident INTEGER NOT NULL, last_id TEXT NOT NULL,
  flap_since INTEGER, flap_over_at INTEGER, flap_level INTEGER, flap_members TEXT
);
CREATE INDEX problems_order ON problems (state, brief, last_at);
CREATE INDEX problems_flapping ON problems (flap_over_at) WHERE flap_over_at IS NOT NULL;

CREATE TABLE pairings (
  id INTEGER PRIMARY KEY, next INTEGER NOT NULL, resolved_at INTEGER NOT NULL, resolved_by TEXT, committed_at INTEGER
);

CREATE TABLE tellings (
  problem INTEGER NOT NULL, destination INTEGER NOT NULL, told INTEGER NOT NULL, incident INTEGER, message_id TEXT,
  silence INTEGER, held INTEGER, alerts INTEGER NOT NULL DEFAULT 0, level INTEGER, first_at INTEGER, last_at INTEGER,
  PRIMARY KEY (problem, destination)
) WITHOUT ROWID;
CREATE INDEX tellings_held ON tellings (silence, held, problem) WHERE silence IS NOT NULL;
CREATE INDEX tellings_critical ON tellings (first_at) WHERE held IS NOT NULL AND level = 0;

CREATE TABLE problem_progress (through INTEGER NOT NULL);
INSERT INTO problem_progress (through) VALUES (0);
`

/**
 * A bundle is the digest of one storm at one destination. Its places are numbered from 1 to `folded` without gaps, and
 * `dispatches` holds one delivery for each; it is told up to `told` by revisions. `settled`: places that are told or dead;
 * `wound`: those of which the incidents were concluded. The digest itself is a row of `dispatches` with the number of the bundle.
 *
 * `tallies`: the problems of a storm, as `Tally`. `firing` and `resolved` count places, the two `singly_*` incidents with a
 * message of their own. Problems known from before the storm have zeros. `level`: the loudest rank.
 *
 * `kind`: 0, it is a storm's; 1, it tells of the repeats of one problem (the subject, its fingerprint) at one destination; 2, of
 * the changes of one that flaps; 3, of the problems of a group (the subject, its key). `state`: 0 open, 1 ending, 2 closed, 3
 * dead. `since` is when the problem began to fire, or to flap. `first_incident`: its message is the one to edit; null: there is none. `due_at`: the next look. `told_at`: hand-out of
 * the latest told revision, `posted_at` the latest message about the subject. `answer`: number of the resolved incident whose
 * message tells of the rest. `firing`: places of firing incidents, where the problem flaps. `step`: the rest of its state, as
 * JSON. `summary`: sums over the problems of a storm, as JSON. `storm`: numbers the bundles of storms.
 */
const BUNDLES = `
CREATE TABLE bundles (
  id INTEGER PRIMARY KEY, kind INTEGER NOT NULL DEFAULT 0, state INTEGER NOT NULL DEFAULT 0,
  destination INTEGER NOT NULL, subject TEXT, since INTEGER NOT NULL, opened_at INTEGER NOT NULL, closed_at INTEGER,
  dead_reason TEXT, folded INTEGER NOT NULL DEFAULT 0, handed INTEGER NOT NULL DEFAULT 0, told INTEGER NOT NULL DEFAULT 0,
  settled INTEGER NOT NULL DEFAULT 0, wound INTEGER NOT NULL DEFAULT 0, firing INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL DEFAULT 0, due_at INTEGER, told_at INTEGER, posted_at INTEGER, message_id TEXT,
  first_incident INTEGER, answer INTEGER, step TEXT, summary TEXT, storm INTEGER
);
CREATE INDEX bundles_closed ON bundles (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX bundles_open ON bundles (destination) WHERE closed_at IS NULL AND kind = 0;
CREATE INDEX bundles_long ON bundles (id) WHERE revision > 1000;
CREATE INDEX bundles_winding ON bundles (id) WHERE wound < settled;
CREATE INDEX bundles_listed ON bundles (id) WHERE kind = 0 OR kind = 3;
CREATE INDEX bundles_first ON bundles (first_incident) WHERE first_incident IS NOT NULL AND closed_at IS NULL;
CREATE INDEX bundles_answer ON bundles (answer) WHERE answer IS NOT NULL;
CREATE INDEX bundles_destination ON bundles (destination);
CREATE INDEX bundles_storm ON bundles (storm) WHERE storm IS NOT NULL;
CREATE INDEX bundles_subject ON bundles (destination, subject) WHERE subject IS NOT NULL AND closed_at IS NULL;
CREATE INDEX bundles_due ON bundles (destination, due_at) WHERE kind <> 0 AND due_at IS NOT NULL;
CREATE INDEX bundles_massed ON bundles (destination, due_at) WHERE kind >= 2 AND due_at IS NOT NULL;

CREATE TABLE tallies (
  bundle INTEGER NOT NULL, problem INTEGER NOT NULL, fingerprint TEXT NOT NULL, title TEXT NOT NULL, service TEXT NOT NULL,
  severity TEXT NOT NULL, level INTEGER NOT NULL, ended INTEGER NOT NULL, counted INTEGER NOT NULL, firing INTEGER NOT NULL,
  resolved INTEGER NOT NULL, singly_firing INTEGER NOT NULL, singly_resolved INTEGER NOT NULL, told INTEGER NOT NULL,
  prior INTEGER NOT NULL, hand INTEGER NOT NULL, first_incident INTEGER NOT NULL, first_id TEXT NOT NULL,
  last_incident INTEGER NOT NULL, last_id TEXT NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  PRIMARY KEY (bundle, problem)
) WITHOUT ROWID;
CREATE INDEX tallies_loudest ON tallies (bundle, ended, level, counted DESC, first_incident) WHERE counted > 0;

CREATE TABLE revisions (
  bundle INTEGER NOT NULL, number INTEGER NOT NULL, through INTEGER NOT NULL, way TEXT NOT NULL,
  told_at INTEGER NOT NULL, message_id TEXT,
  PRIMARY KEY (bundle, number)
) WITHOUT ROWID;
CREATE INDEX revisions_told ON revisions (told_at);
`

/**
 * `silences`: `settings` is the JSON of a `SilenceSettings`; `window_from` and `window_to` are the window that is open
 * now, `reminded` and the next three belong to it, as those of an `OpenWindow`; `last` is the JSON of the account of the last window, `releasing` that of a
 * `ClosedWindow`, `held` that of `HeldSums`. A silence without `ended_at` is live.
 *
 * `causes`: problems that fire and keep a silence in force, one with `while` or one until resolved; deleted with its end.
 */
const SILENCES = `
CREATE TABLE silences (
  id INTEGER PRIMARY KEY, origin TEXT NOT NULL, settings TEXT NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER,
  ended_by TEXT, window_from INTEGER, window_to INTEGER, reminded INTEGER NOT NULL DEFAULT 0, quiet_at INTEGER,
  opened_after INTEGER NOT NULL DEFAULT 0, held_through INTEGER NOT NULL DEFAULT 0, last TEXT,
  held_total INTEGER NOT NULL DEFAULT 0, last_held_at INTEGER, held TEXT, releasing TEXT
);
CREATE INDEX silences_live ON silences (id) WHERE ended_at IS NULL;

CREATE TABLE causes (
  silence INTEGER NOT NULL, problem INTEGER NOT NULL,
  PRIMARY KEY (silence, problem)
) WITHOUT ROWID;
`

/**
 * Decisions that rules made, each outcome once. `stored`: stored incidents; with the last of them the row is deleted. `rules`:
 * incidents that each rule matched; the one without a name counts those that any rule matched. `slo_minutes`: incidents that
 * were told in each minute of the epoch, and those that were told too late. `heartbeats`: `missing_since` is null for one
 * that beats.
 */
const DECISIONS = `
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, json TEXT NOT NULL, stored INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE rules (name TEXT PRIMARY KEY, hits INTEGER NOT NULL, last_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE slo_minutes (minute INTEGER PRIMARY KEY, told INTEGER NOT NULL, late INTEGER NOT NULL);

CREATE TABLE heartbeats (
  name TEXT PRIMARY KEY, heard_at INTEGER, missing_since INTEGER, back INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
`

/**
 * `applied`: number of the last incident of the journal that is applied, in quarantine, or skipped, changed with the rows of
 * the incidents. `quarantine`: frames that could not be applied, with the error in `fault`. The search index lags behind the
 * incidents; those above `indexed.through` are not in it. `reindex`: incidents to index again.
 */
const PROGRESS = `
CREATE TABLE applied (id INTEGER PRIMARY KEY CHECK (id = 1), up_to INTEGER NOT NULL);
INSERT INTO applied (id, up_to) VALUES (1, 0);
CREATE TABLE quarantine (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, frame BLOB NOT NULL, fault TEXT NOT NULL);
CREATE TABLE indexed (id INTEGER PRIMARY KEY CHECK (id = 1), through INTEGER NOT NULL);
INSERT INTO indexed (id, through) VALUES (1, 0);
CREATE TABLE reindex (seq INTEGER PRIMARY KEY);
CREATE TABLE pauses (channel INTEGER PRIMARY KEY, since INTEGER NOT NULL);
CREATE TABLE cursors (source TEXT PRIMARY KEY, cursor TEXT NOT NULL) WITHOUT ROWID;
`

/**
 * The search index without the texts (contentless FTS5).
 *
 * usermerge 16 instead of 4: more segments are merged at a time, so that entries are rewritten half as often.
 * deletemerge 30 instead of 10: a segment is rewritten for its deleted entries alone when 30 % are deleted; with 10 %,
 * retention under load would cause that all the time.
 */
const SEARCH = `
CREATE VIRTUAL TABLE search USING fts5(
  words, content='', contentless_delete=1, prefix='3 4', tokenize="unicode61 remove_diacritics 0 tokenchars '='"
);
INSERT INTO search (search, rank) VALUES ('automerge', 0);
INSERT INTO search (search, rank) VALUES ('crisismerge', 64);
INSERT INTO search (search, rank) VALUES ('usermerge', 16);
INSERT INTO search (search, rank) VALUES ('deletemerge', 30);
`

/** DDL of all tables but the search index. The first makes those of version `BASELINE`, each later one those of the next. A published one never changes. */
export const TABLES: readonly string[] = [
  [INCIDENTS, DISPATCHES, PROBLEMS, BUNDLES, SILENCES, DECISIONS, PROGRESS].join(''),
  SQLITE_40,
  SQLITE_41,
  SQLITE_42,
]

export const SQLITE_MIGRATIONS = TABLES.map((ddl, at) => (at === 0 ? ddl + SEARCH : ddl))
