import { CodedError } from '../../domain/errors.ts'
import { PAUSES } from '../deliveries/pauses.ts'
import { HEARTBEATS } from '../heartbeats/heartbeats.ts'
import { REINDEX_RESOLVED } from '../incidents/effective-status.ts'
import { APPLIED_UP_TO } from '../journal/applied-up-to.ts'
import { QUARANTINE, QUARANTINED_FRAMES } from '../journal/quarantine.ts'
import { JOURNAL } from '../journal/unfiled.ts'
import { CURSORS } from '../log-cursors.ts'
import { SLO_MINUTES } from '../noise/burn.ts'
import { DECISIONS } from '../noise/decisions.ts'
import { FALLBACKS } from '../noise/fallbacks.ts'
import { FLAPS, REPEATS } from '../noise/repeats/schema.ts'
import { BUNDLES } from '../noise/schema.ts'
import { CAUSES, HOLDS_FIRING, RELEASING, SILENCES } from '../noise/silences/schema.ts'
import { OPEN_PAGES } from '../oncall/open-pages.ts'
import { DISPATCHES, RANKS } from '../outbox/schema.ts'
import { PROBLEMS } from '../problems/schema.ts'
import { FULLTEXT, MERGES } from '../search/fulltext.ts'
import { DESTINATIONS_TABLE } from './lanes.ts'
import type { Sql } from './sql.ts'
import { query } from './statement.ts'

/** Payloads have a table of their own, so that a change of status never rewrites one; so have sent texts. */
const FIRST = `
CREATE TABLE incidents (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  committed_at INTEGER NOT NULL,
  source TEXT NOT NULL,
  sender TEXT NOT NULL,
  title TEXT NOT NULL,
  service TEXT NOT NULL,
  severity TEXT NOT NULL,
  status TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  channels_enabled INTEGER NOT NULL,
  channels_notified INTEGER NOT NULL DEFAULT 0,
  notify_status INTEGER NOT NULL DEFAULT 0,
  notify_error TEXT,
  acked_at INTEGER,
  acked_by TEXT,
  resolved_at INTEGER,
  oncall_triggered INTEGER NOT NULL DEFAULT 0,
  oncall_error TEXT
);
CREATE INDEX incidents_finished ON incidents (seq) WHERE notify_status <> 0;

CREATE TABLE payloads (
  seq INTEGER PRIMARY KEY,
  content BLOB NOT NULL,
  overrides TEXT
);

CREATE TABLE deliveries (
  incident INTEGER NOT NULL,
  channel INTEGER NOT NULL,
  state INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  earlier_attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  target TEXT,
  may_duplicate INTEGER NOT NULL DEFAULT 0,
  message_id TEXT,
  dead_reason TEXT,
  PRIMARY KEY (incident, channel)
) WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (channel, next_attempt_at, incident) WHERE state = 0;
CREATE INDEX deliveries_dead ON deliveries (channel, incident) WHERE state = 3;

CREATE TABLE attempts (
  incident INTEGER NOT NULL,
  channel INTEGER NOT NULL,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration_ms REAL NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL,
  message_id TEXT,
  may_duplicate INTEGER NOT NULL,
  render_fault TEXT,
  render_ms REAL NOT NULL,
  limiter_wait_ms REAL NOT NULL,
  text TEXT,
  PRIMARY KEY (incident, channel, number)
) WITHOUT ROWID;

CREATE TABLE threads (
  channel INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  target TEXT NOT NULL,
  message_id TEXT NOT NULL,
  incident INTEGER NOT NULL,
  PRIMARY KEY (channel, fingerprint, target)
) WITHOUT ROWID;
CREATE INDEX threads_incident ON threads (incident);

CREATE TABLE idempotency (
  age INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  incident_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE health (
  id INTEGER PRIMARY KEY,
  checked_at INTEGER NOT NULL,
  ballast BLOB NOT NULL
);
`

/** NULL in attempts of versions that did not record them. */
const STAGES = `
ALTER TABLE attempts ADD COLUMN handed_out_at INTEGER;
ALTER TABLE attempts ADD COLUMN connected_ms REAL;
`

/**
 * `oncall_open` marks incidents with a signal for the pager: they are unfinished, like those with a pending delivery.
 * Rows of `oncall` are indexed by time while they wait, and by fingerprint while a resolution would change them.
 */
const ONCALL = `
ALTER TABLE incidents ADD COLUMN oncall_open INTEGER NOT NULL DEFAULT 0;
DROP INDEX incidents_finished;
CREATE INDEX incidents_finished ON incidents (seq) WHERE notify_status <> 0 AND oncall_open = 0;

CREATE TABLE oncall (
  incident INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  phase INTEGER NOT NULL,
  heard INTEGER NOT NULL,
  signal INTEGER,
  under_way INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_at INTEGER,
  due_at INTEGER NOT NULL,
  wait_ms INTEGER NOT NULL,
  paged_at INTEGER,
  provider TEXT
);
CREATE INDEX oncall_due ON oncall (next_at, incident) WHERE signal IS NOT NULL AND under_way = 0;
CREATE INDEX oncall_fingerprint ON oncall (fingerprint) WHERE phase < 5;
`

const NOTICES = `
CREATE TABLE notices (
  id INTEGER PRIMARY KEY,
  about INTEGER NOT NULL,
  via INTEGER,
  state INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  first_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  may_duplicate INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER
);
`

const FOLLOW_UPS = `
CREATE TABLE follow_ups (
  id INTEGER PRIMARY KEY,
  incident INTEGER NOT NULL,
  channel INTEGER NOT NULL,
  target TEXT,
  reply_to TEXT NOT NULL,
  word TEXT NOT NULL,
  person TEXT NOT NULL,
  raised_at INTEGER NOT NULL,
  state INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  may_duplicate INTEGER NOT NULL
);
`

/** JSON of a `TopicOrigin`. */
const ORIGIN = 'ALTER TABLE payloads ADD COLUMN origin TEXT'

/** The payloads of one batch are one row. Overrides and origins are rare and have a table of their own. */
const CONTENTS = `
CREATE TABLE contents (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE TABLE particulars (
  seq INTEGER PRIMARY KEY,
  overrides TEXT,
  origin TEXT
);
ALTER TABLE incidents ADD COLUMN content_start INTEGER NOT NULL DEFAULT 0;
ALTER TABLE incidents ADD COLUMN content_bytes INTEGER NOT NULL DEFAULT 0;
INSERT INTO contents (first, last, bytes) SELECT seq, seq, content FROM payloads;
INSERT INTO particulars (seq, overrides, origin)
  SELECT seq, overrides, origin FROM payloads WHERE overrides IS NOT NULL OR origin IS NOT NULL;
UPDATE incidents SET content_bytes = coalesce((SELECT length(content) FROM payloads WHERE seq = incidents.seq), 0);
DROP TABLE payloads;
${JOURNAL}
`

/** Migration n brings a database from version n to n + 1. A published one never changes. */
export const MIGRATIONS: readonly string[] = [
  FIRST,
  PAUSES,
  STAGES,
  ONCALL,
  ORIGIN,
  CURSORS,
  NOTICES,
  FULLTEXT,
  FOLLOW_UPS,
  CONTENTS,
  QUARANTINE,
  MERGES,
  REINDEX_RESOLVED,
  DISPATCHES,
  `${APPLIED_UP_TO} ${QUARANTINED_FRAMES}`,
  `${DESTINATIONS_TABLE} ${RANKS} ${DECISIONS} ${BUNDLES}`,
  FALLBACKS,
  HEARTBEATS,
  SILENCES,
  PROBLEMS,
  SLO_MINUTES,
  HOLDS_FIRING,
  CAUSES,
  RELEASING,
  REPEATS,
  FLAPS,
  OPEN_PAGES,
]

/**
 * Runs the missing migrations, each in its own transaction. Throws `storage_down` when a newer program wrote the
 * database.
 */
export function migrate(db: Sql, migrations: readonly string[] = MIGRATIONS): void {
  const version = query<{ user_version: number }>(db, 'PRAGMA user_version').get()?.user_version ?? 0
  if (version > migrations.length)
    throw new CodedError(
      'storage_down',
      `the database has version ${version}, this program knows versions up to ${migrations.length}: run the newer program or use another data directory`,
    )
  for (const [at, sql] of migrations.entries()) if (at >= version) step(db, sql, at + 1)
}

function step(db: Sql, sql: string, version: number): void {
  try {
    db.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT;`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
