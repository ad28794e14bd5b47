/**
 * `openings`: one row for each time that a problem fired; `id`: number of the incident that began it. They outlive the problem and
 * its incidents. `level`: severity rank; without `ended_at` it fires. `words`: what it is compared by, as 32-bit hashes; null: not
 * read yet.
 *
 * `notes`: what people wrote about problems, by fingerprint. `changes`: what senders say that they changed; `key`: their id of it.
 */
const BRIEF = `
CREATE TABLE openings (
  id INTEGER PRIMARY KEY, problem INTEGER NOT NULL, fingerprint TEXT NOT NULL, title TEXT NOT NULL, service TEXT NOT NULL,
  level INTEGER NOT NULL, opened_at INTEGER NOT NULL, ended_at INTEGER, ended_by TEXT, firing INTEGER NOT NULL,
  acked_at INTEGER, acked_by TEXT, words BLOB
);
CREATE INDEX openings_fingerprint ON openings (fingerprint, id);
CREATE INDEX openings_service ON openings (service, id);

CREATE TABLE notes (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX notes_fingerprint ON notes (fingerprint, id);

CREATE TABLE changes (
  id INTEGER PRIMARY KEY, key TEXT UNIQUE, at INTEGER NOT NULL, service TEXT NOT NULL, kind TEXT NOT NULL, summary TEXT NOT NULL,
  link TEXT NOT NULL
);
CREATE INDEX changes_at ON changes (at);
`

const OPENING_OF_PROBLEM = `
  INSERT INTO openings (id, problem, fingerprint, title, service, level, opened_at, ended_at, ended_by, firing, acked_at, acked_by)
    SELECT opening, id, fingerprint, title, service, level, opened_at, CASE WHEN state = 1 THEN since END, ended_by, firing, acked_at, acked_by
    FROM problems WHERE firing > 0 ON CONFLICT DO NOTHING;
`

/** What version 42 adds. */
export const SQLITE_42 = [BRIEF, OPENING_OF_PROBLEM].join('')
