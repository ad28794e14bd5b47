/**
 * Alerts that fire at the door of Alertmanager's API, by the fingerprint of their problem. `valid_ms`: how long a sender's
 * claim is valid; `alert`: JSON as it was posted.
 */
const ALERTS = `
CREATE TABLE alerts (
  fingerprint TEXT PRIMARY KEY, incident INTEGER NOT NULL, valid_ms INTEGER NOT NULL, alert TEXT NOT NULL
) WITHOUT ROWID;
`

/**
 * A heartbeat that does not beat: `missing_since`, and `why`: null no sign of life, -1 an overrun, 0 a failure, 1 to 255 one
 * with this exit status; `output`: of the failure. `back`: incidents that are to be raised (`PENDING`). `started_at`, `run_id`:
 * the run that did not end yet. `judged_through`: times of `cron`, with its zone, up to it are not due any more. `alive_at`: when the service
 * was certainly up.
 */
const RUNS = `
ALTER TABLE heartbeats ADD COLUMN why INTEGER;
ALTER TABLE heartbeats ADD COLUMN output TEXT;
ALTER TABLE heartbeats ADD COLUMN started_at INTEGER;
ALTER TABLE heartbeats ADD COLUMN run_id TEXT;
ALTER TABLE heartbeats ADD COLUMN last_run_ms INTEGER;
ALTER TABLE heartbeats ADD COLUMN judged_through INTEGER;
ALTER TABLE heartbeats ADD COLUMN cron TEXT;
ALTER TABLE process ADD COLUMN alive_at INTEGER;
`

/**
 * Acts of people on problems, and the keys of presses. `place`: id of the chat. Of a digest: its number, the last place that its
 * button is about (`through`), and `next_place` while a walk along them goes on.
 */
const ANSWERS = `
CREATE TABLE answers (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, action TEXT NOT NULL, minutes INTEGER,
  via TEXT NOT NULL, person TEXT, actor TEXT NOT NULL, actor_id TEXT NOT NULL, place TEXT NOT NULL, problem INTEGER,
  incident TEXT, digest INTEGER, result TEXT NOT NULL, silence INTEGER, next_place INTEGER, through INTEGER
);
CREATE INDEX answers_problem ON answers (problem, id) WHERE problem IS NOT NULL;
CREATE INDEX answers_digest ON answers (digest, id) WHERE digest IS NOT NULL;
CREATE INDEX answers_walking ON answers (id) WHERE next_place IS NOT NULL;
`

/** The default destination of ntfy. */
const NTFY = 'INSERT INTO destinations (code, channel) VALUES (7, 7);'

/** What version 40 adds. */
export const SQLITE_40 = [ALERTS, RUNS, ANSWERS, NTFY].join('')
