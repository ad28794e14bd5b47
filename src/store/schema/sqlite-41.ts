/**
 * Escalations at work on problems. `plan`: the escalation by value, and `run`: its `Run` without the due time, as JSON.
 * `level`: loudest rank of the problem that it knows.
 *
 * `oncall_pages`: one row for each target that a step asked, and for each way of a person. `target` as in the configuration;
 * `step`: -1 asks the person who acknowledged. `way`: from 0, null for what is no person. `state` as of a delivery; `due_at`: when
 * it is told, and of one that is on its way when the next way is brought forward. `message`: number of the notice that tells it.
 */
const RUNS = `
CREATE TABLE oncall_runs (
  id INTEGER PRIMARY KEY, problem INTEGER NOT NULL, plan TEXT NOT NULL, run TEXT NOT NULL, phase TEXT NOT NULL,
  began_at INTEGER NOT NULL, due_at INTEGER, ended_at INTEGER, ended_by TEXT
);
CREATE INDEX oncall_runs_open ON oncall_runs (problem) WHERE ended_at IS NULL;
CREATE INDEX oncall_runs_problem ON oncall_runs (problem, id);
CREATE INDEX oncall_runs_exhausted ON oncall_runs (id) WHERE phase = 'exhausted';
CREATE INDEX oncall_runs_ended ON oncall_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX oncall_runs_due ON oncall_runs (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE oncall_pages (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, round INTEGER NOT NULL, step INTEGER NOT NULL, target TEXT NOT NULL,
  because TEXT NOT NULL, person TEXT, way INTEGER, state INTEGER NOT NULL, planned_at INTEGER NOT NULL, due_at INTEGER,
  message INTEGER, told_at INTEGER, settled_at INTEGER, detail TEXT, late_ms INTEGER NOT NULL
);
CREATE INDEX oncall_pages_run ON oncall_pages (run, id);
CREATE INDEX oncall_pages_due ON oncall_pages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX oncall_pages_waiting ON oncall_pages (person, way, due_at) WHERE state = 0;
CREATE INDEX oncall_pages_message ON oncall_pages (message) WHERE message IS NOT NULL;
CREATE INDEX oncall_pages_told ON oncall_pages (person, way, told_at) WHERE told_at IS NOT NULL;
`

/** Who is on call in place of another, and who was on call, by the time of each handover. Times are instants. */
const SCHEDULES = `
CREATE TABLE oncall_overrides (
  id INTEGER PRIMARY KEY, schedule TEXT NOT NULL, from_at INTEGER NOT NULL, until_at INTEGER NOT NULL, person TEXT NOT NULL,
  instead_of TEXT, made_by TEXT NOT NULL, reason TEXT NOT NULL, made_at INTEGER NOT NULL, ended_at INTEGER, ended_by TEXT
);
CREATE INDEX oncall_overrides_until ON oncall_overrides (until_at);
CREATE TABLE oncall_shifts (
  schedule TEXT NOT NULL, from_at INTEGER NOT NULL, until_at INTEGER, person TEXT, because TEXT NOT NULL,
  PRIMARY KEY (schedule, from_at)
) WITHOUT ROWID;
CREATE INDEX oncall_shifts_from ON oncall_shifts (from_at);
`

/** Notices to one destination have their words as JSON: accounts of silences, and pages of people. */
const NOTICES = 'ALTER TABLE notices RENAME COLUMN silence TO words;'

/** What version 41 adds. */
export const SQLITE_41 = [RUNS, SCHEDULES, NOTICES].join('')
