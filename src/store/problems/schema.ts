/** Newest incidents from which an earlier version's problems are made. */
const LOOK_BACK = 20_000

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
ALTER TABLE incidents ADD COLUMN previous INTEGER;
ALTER TABLE incidents ADD COLUMN resolved_by TEXT;
ALTER TABLE incidents ADD COLUMN changed_at INTEGER;
ALTER TABLE incidents ADD COLUMN members TEXT;

CREATE TABLE problem_progress (through INTEGER NOT NULL);
INSERT INTO problem_progress (through) SELECT coalesce(max(seq), 0) FROM incidents;

CREATE TEMP TABLE recent AS
  SELECT seq, lag(seq) OVER (PARTITION BY fingerprint ORDER BY seq) AS previous FROM incidents
  WHERE seq > (SELECT coalesce(max(seq), 0) FROM incidents) - ${LOOK_BACK};
UPDATE incidents SET previous = recent.previous FROM recent WHERE recent.seq = incidents.seq AND recent.previous IS NOT NULL;
INSERT INTO problems (fingerprint, state, brief, last_at, since, opened_at, first_at, firing, firing_total, resolved_total, level,
    ended_by, resolved_by, acked_at, acked_by, flap_at, title, service, severity, sender, source, last_incident, last_id)
  SELECT fingerprint, status = 'resolved' OR resolved_at IS NOT NULL, sender IN ('log_forwarder', 'custom') AND source <> 'heartbeat', committed_at,
    coalesce(resolved_at, committed_at), committed_at, first_at, status <> 'resolved' AND resolved_at IS NULL, firing, resolved,
    CASE WHEN severity IN ('critical', 'fatal', 'emergency', 'disaster', 'page', 'p1', 'sev1', 'alarm') THEN 0
      WHEN severity IN ('high', 'error', 'major', 'p2', 'sev2') THEN 1
      WHEN severity IN ('info', 'low', 'notice', 'information', 'informational', 'p4', 'sev4') THEN 3
      WHEN severity IN ('debug', 'none', 'ok', 'p5', 'sev5') THEN 4 ELSE 2 END,
    CASE WHEN status = 'resolved' THEN 'sender' WHEN resolved_at IS NOT NULL THEN 'person' END,
    iif(status = 'resolved', id, NULL), acked_at, acked_by, committed_at, title, service, severity, sender, source, seq, id
  FROM incidents JOIN (
    SELECT max(seq) AS seq, min(committed_at) AS first_at, sum(status <> 'resolved') AS firing, sum(status = 'resolved') AS resolved
    FROM incidents WHERE seq IN (SELECT seq FROM recent) GROUP BY fingerprint) USING (seq);
DROP TABLE recent;
`
