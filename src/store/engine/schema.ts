import { CodedError } from '../../domain/errors.ts'
import { PAUSES } from '../deliveries/pauses.ts'
import { HEARTBEATS } from '../heartbeats/heartbeats.ts'
import { APPLIED_UP_TO } from '../journal/applied-up-to.ts'
import { QUARANTINE } from '../journal/quarantine.ts'
import { CURSORS } from '../log-cursors.ts'
import { SLO_MINUTES } from '../noise/burn.ts'
import { DECISIONS } from '../noise/decisions.ts'
import { BUNDLES } from '../noise/schema.ts'
import { SILENCES } from '../noise/silences/schema.ts'
import { OPEN_PAGES } from '../oncall/open-pages.ts'
import { DISPATCHES } from '../outbox/schema.ts'
import { PROBLEMS } from '../problems/schema.ts'
import { FULLTEXT } from '../search/fulltext.ts'
import { DESTINATIONS_TABLE } from './lanes.ts'
import type { Sql } from './sql.ts'
import { query } from './statement.ts'

/** Payloads have a table of their own, by batch, so that a change of status never rewrites one; so have sent texts. */
const INCIDENTS = `
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
  oncall_error TEXT,
  oncall_open INTEGER NOT NULL DEFAULT 0,
  content_start INTEGER NOT NULL DEFAULT 0,
  content_bytes INTEGER NOT NULL DEFAULT 0,
  decision INTEGER,
  silence INTEGER,
  previous INTEGER,
  resolved_by TEXT,
  changed_at INTEGER,
  members TEXT
);
CREATE INDEX incidents_finished ON incidents (seq) WHERE notify_status <> 0 AND oncall_open = 0;

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
  handed_out_at INTEGER,
  connected_ms REAL,
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

const TABLES = [
  INCIDENTS,
  PAUSES,
  CURSORS,
  FULLTEXT,
  QUARANTINE,
  DISPATCHES,
  OPEN_PAGES,
  APPLIED_UP_TO,
  DESTINATIONS_TABLE,
  DECISIONS,
  BUNDLES,
  HEARTBEATS,
  SILENCES,
  PROBLEMS,
  SLO_MINUTES,
].join('')

/** Version of the tables of the first migration. Databases of lower ones were written by development versions. */
export const BASELINE = 29

/** The first makes the tables of version `BASELINE`, each later one those of the next. A published one never changes. */
export const MIGRATIONS: readonly string[] = [TABLES]

/** Returns the error for tables of a version below the baseline. `where`: what holds them, with the way out. */
export const tooOld = (version: number, where: string) =>
  new CodedError(
    'storage_down',
    `a development version wrote the tables (version ${version}), and this program knows versions from ${BASELINE} on: ${where}`,
  )

/**
 * Runs the missing migrations, each in its own transaction. Throws `storage_down` when a newer program wrote the
 * database, or a development version.
 */
export function migrate(db: Sql, migrations: readonly string[] = MIGRATIONS): void {
  const version = query<{ user_version: number }>(db, 'PRAGMA user_version').get()?.user_version ?? 0
  const newest = BASELINE + migrations.length - 1
  if (version > newest)
    throw new CodedError(
      'storage_down',
      `the database has version ${version}, this program knows versions up to ${newest}: run the newer program or use another data directory`,
    )
  if (version > 0 && version < BASELINE)
    throw tooOld(version, 'move tocsin.db and journal/ away, or set another storage.file.data_dir')
  for (const [at, sql] of migrations.entries()) if (BASELINE + at > version) step(db, sql, BASELINE + at)
}

function step(db: Sql, sql: string, version: number): void {
  try {
    db.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT;`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
