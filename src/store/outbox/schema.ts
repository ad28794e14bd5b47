/**
 * The outbox: one row for each dispatch, all kinds. Deliveries and pages lie beside those of the neighbouring
 * incidents, which are made, settled and deleted together. `detail`: JSON of what only notices, follow-ups, pages and
 * resent deliveries have. The indexes are partial, over rare states: a delivery that is leased in the transaction that makes it touches
 * none. Their conditions name `state` alone, because SQLite prepares a statement anew at each run when it binds a value
 * to a column of such a condition.
 *
 * Messages have ranks; those that a digest tells of have a place in its bundle. `fallback_of`: number of the destination
 * that a delivery stands in for; null: routes or the request chose it. `placed_at`: when it was made, which then is later
 * than the commit.
 */
export const DISPATCHES = `
CREATE TABLE process (life INTEGER NOT NULL);
INSERT INTO process (life) VALUES (0);

CREATE TABLE dispatches (
  incident INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  destination INTEGER NOT NULL,
  number INTEGER NOT NULL,
  state INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  earlier_attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  target TEXT,
  may_duplicate INTEGER NOT NULL DEFAULT 0,
  lease_owner INTEGER,
  lease_until INTEGER,
  message_id TEXT,
  dead_reason TEXT,
  detail TEXT,
  rank INTEGER NOT NULL DEFAULT 2,
  bundle INTEGER,
  place INTEGER,
  fallback_of INTEGER,
  placed_at INTEGER,
  PRIMARY KEY (incident, kind, destination, number)
) WITHOUT ROWID;
CREATE INDEX dispatches_due ON dispatches (kind, destination, rank, due_at, incident) WHERE state = 0;
CREATE INDEX dispatches_dead ON dispatches (kind, destination, incident) WHERE state = 3;
CREATE INDEX dispatches_bundle ON dispatches (bundle, place) WHERE bundle IS NOT NULL;

CREATE TABLE oncall (
  incident INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  phase INTEGER NOT NULL,
  heard INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  wait_ms INTEGER NOT NULL,
  paged_at INTEGER,
  provider TEXT
);
CREATE INDEX oncall_fingerprint ON oncall (fingerprint) WHERE phase < 5;
CREATE INDEX oncall_joined ON oncall (fingerprint) WHERE phase = 7;
CREATE INDEX oncall_failed ON oncall (incident) WHERE phase = 3;
CREATE INDEX oncall_held ON oncall (fingerprint) WHERE phase = 8;
`
