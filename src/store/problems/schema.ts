/**
 * One row for each fingerprint. `state`: 0 firing, 1 resolved. `brief`: its sender never resolves. `previous` of an
 * incident is the one before it of the same fingerprint; `pairings` are walks along these numbers that are not finished.
 * Problems on disk have the incidents up to `through`.
 */
export const PROBLEMS = `
CREATE TABLE problems (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  state INTEGER NOT NULL,
  brief INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  since INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  firing INTEGER NOT NULL,
  firing_total INTEGER NOT NULL,
  resolved_total INTEGER NOT NULL,
  level INTEGER NOT NULL,
  ended_by TEXT,
  resolved_by TEXT,
  sender_ended_at INTEGER,
  acked_at INTEGER,
  acked_by TEXT,
  flap_score REAL NOT NULL DEFAULT 0,
  flap_at INTEGER NOT NULL,
  members TEXT,
  title TEXT NOT NULL,
  service TEXT NOT NULL,
  severity TEXT NOT NULL,
  sender TEXT NOT NULL,
  source TEXT NOT NULL,
  last_incident INTEGER NOT NULL,
  last_id TEXT NOT NULL
);
CREATE INDEX problems_order ON problems (state, brief, last_at);

CREATE TABLE pairings (
  id INTEGER PRIMARY KEY,
  next INTEGER NOT NULL,
  resolved_at INTEGER NOT NULL,
  resolved_by TEXT,
  committed_at INTEGER
);

CREATE TABLE problem_progress (through INTEGER NOT NULL);
INSERT INTO problem_progress (through) VALUES (0);
`
