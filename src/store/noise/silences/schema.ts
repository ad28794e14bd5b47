/**
 * `silences`: `settings` is the JSON of a `SilenceSettings`; `window_from` and `window_to` are the window that is open
 * now, `reminded` and the next three belong to it, as those of an `OpenWindow`; `last` is the JSON of the account of the last window, `releasing` that of a
 * `ClosedWindow`. A silence without `ended_at` is live.
 *
 * `holds`: problems that the open window of a silence held, one row for each destination that would have been told, the
 * on-call provider included. `last` is the newest incident; with `firing` its delivery, or its timer, is held. `told`: the
 * destination was told of the problem before, so its end passes. Rows are
 * deleted with the end of the window. `holds_firing`: most holds of a long silence may be of problems that are over.
 *
 * `causes`: problems that fire and keep a silence with `while` in force; deleted with its end.
 */
export const SILENCES = `
CREATE TABLE silences (
  id INTEGER PRIMARY KEY,
  origin TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  ended_by TEXT,
  window_from INTEGER,
  window_to INTEGER,
  reminded INTEGER NOT NULL DEFAULT 0,
  quiet_at INTEGER,
  opened_after INTEGER NOT NULL DEFAULT 0,
  held_through INTEGER NOT NULL DEFAULT 0,
  last TEXT,
  held_total INTEGER NOT NULL DEFAULT 0,
  last_held_at INTEGER,
  releasing TEXT
);
CREATE INDEX silences_live ON silences (id) WHERE ended_at IS NULL;

CREATE TABLE holds (
  silence INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  destination INTEGER NOT NULL,
  last INTEGER NOT NULL,
  firing INTEGER NOT NULL,
  alerts INTEGER NOT NULL,
  level INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  told INTEGER NOT NULL,
  PRIMARY KEY (silence, fingerprint, destination)
) WITHOUT ROWID;
CREATE INDEX holds_fingerprint ON holds (fingerprint);
CREATE INDEX holds_firing ON holds (silence) WHERE firing = 1;

CREATE TABLE causes (
  silence INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  PRIMARY KEY (silence, fingerprint)
) WITHOUT ROWID;
`
