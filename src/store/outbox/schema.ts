/**
 * The outbox: one row for each dispatch, all kinds. Deliveries and pages lie beside those of the neighbouring
 * incidents, which are made, settled and deleted together. `detail`: JSON of what only notices, follow-ups, pages and
 * resent deliveries have. The indexes are partial, over rare states: a delivery that is leased in the transaction that makes it touches
 * none. Their conditions name `state` alone, because SQLite prepares a statement anew at each run when it binds a value
 * to a column of such a condition.
 *
 * The rows of the four queues of earlier versions move here. Leases get owner 0, whose life has ended.
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
  PRIMARY KEY (incident, kind, destination, number)
) WITHOUT ROWID;

INSERT INTO dispatches (incident, kind, destination, number, state, attempts, earlier_attempts, due_at, target, may_duplicate,
    lease_owner, lease_until, message_id, dead_reason)
  SELECT incident, 0, channel, 0, state, attempts, earlier_attempts, next_attempt_at, target, may_duplicate,
    iif(state = 1, 0, NULL), iif(state = 1, 0, NULL), message_id, dead_reason FROM deliveries;
INSERT INTO dispatches (incident, kind, destination, number, state, attempts, due_at, may_duplicate, lease_owner, lease_until, detail)
  SELECT 0, 1, coalesce(via, 30), id, state, attempts, iif(state < 2, due_at, NULL), may_duplicate,
    iif(state = 1, 0, NULL), iif(state = 1, 0, NULL), json_object('about', CASE about WHEN 0 THEN 'chatws' WHEN 1 THEN 'msgapp'
      WHEN 2 THEN 'messenger' WHEN 3 THEN 'officechat' WHEN 4 THEN 'workchat' WHEN 5 THEN 'email' WHEN 6 THEN 'console'
      ELSE 'oncall' END, 'first_at', first_at, 'ended_at', ended_at) FROM notices;
INSERT INTO dispatches (incident, kind, destination, number, state, attempts, due_at, target, may_duplicate, lease_owner, lease_until, detail)
  SELECT incident, 2, channel, id, state, attempts, due_at, target, may_duplicate, iif(state = 1, 0, NULL), iif(state = 1, 0, NULL),
    json_object('reply_to', reply_to, 'word', word, 'person', person, 'raised_at', raised_at) FROM follow_ups;
INSERT INTO dispatches (incident, kind, destination, number, state, attempts, due_at, may_duplicate, lease_owner, lease_until, detail)
  SELECT incident, 3, 31, 0, under_way, attempts, next_at, heard = 1, iif(under_way = 1, 0, NULL), iif(under_way = 1, 0, NULL),
    json_object('signal', CASE signal WHEN 0 THEN 'trigger' WHEN 1 THEN 'acknowledge' ELSE 'resolve' END)
  FROM oncall WHERE signal IS NOT NULL;

CREATE INDEX dispatches_due ON dispatches (kind, destination, due_at, incident) WHERE state = 0;
CREATE INDEX dispatches_dead ON dispatches (kind, destination, incident) WHERE state = 3;
DROP TABLE deliveries;
DROP TABLE notices;
DROP TABLE follow_ups;

ALTER TABLE oncall RENAME TO oncall_before;
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
INSERT INTO oncall (incident, fingerprint, phase, heard, due_at, wait_ms, paged_at, provider)
  SELECT incident, fingerprint, phase, heard, due_at, wait_ms, paged_at, provider FROM oncall_before;
DROP TABLE oncall_before;
CREATE INDEX oncall_fingerprint ON oncall (fingerprint) WHERE phase < 5;
`

/** Messages have ranks; those that a digest tells of have a place in its bundle. */
export const RANKS = `
ALTER TABLE dispatches ADD COLUMN rank INTEGER NOT NULL DEFAULT 2;
ALTER TABLE dispatches ADD COLUMN bundle INTEGER;
ALTER TABLE dispatches ADD COLUMN place INTEGER;
DROP INDEX dispatches_due;
CREATE INDEX dispatches_due ON dispatches (kind, destination, rank, due_at, incident) WHERE state = 0;
CREATE INDEX dispatches_bundle ON dispatches (bundle, place) WHERE bundle IS NOT NULL;
`
