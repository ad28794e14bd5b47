/**
 * A bundle with a subject tells of the repeats of one problem (its fingerprint) at one destination. `first_incident`: its
 * message is the one to edit; null: there is none. `due_at`: the next revision, if anything is untold. `answer`: the bundle
 * takes no more places; the number of the resolved incident whose message tells of the rest, 0: a revision of its own
 * does. `storm`: numbers the bundles of storms, which `id` did before. `since` is when the problem began to fire, `posted_at` the latest message about it.
 */
export const REPEATS = `
ALTER TABLE bundles ADD COLUMN subject TEXT;
ALTER TABLE bundles ADD COLUMN first_incident INTEGER;
ALTER TABLE bundles ADD COLUMN answer INTEGER;
ALTER TABLE bundles ADD COLUMN due_at INTEGER;
ALTER TABLE bundles ADD COLUMN storm INTEGER;
UPDATE bundles SET storm = id;
CREATE INDEX bundles_storm ON bundles (storm) WHERE storm IS NOT NULL;
CREATE INDEX bundles_subject ON bundles (destination, subject) WHERE subject IS NOT NULL AND closed_at IS NULL;
CREATE INDEX bundles_due ON bundles (destination, due_at) WHERE subject IS NOT NULL AND closed_at IS NULL AND folded > told;
`

/**
 * Problems that flap: since when, until when if their state does not change, the loudest severity rank, and the alerts of
 * their group (JSON; NULL: unknown, or no group). `flap` of a bundle: 1, it tells of one that flaps; 2, the message of its end
 * is due; 3, that was sent; NULL, it tells of repeats. `firing`: its places of firing incidents.
 */
export const FLAPS = `
CREATE TABLE flaps (
  fingerprint TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  over_at INTEGER NOT NULL,
  level INTEGER NOT NULL,
  members TEXT
);
ALTER TABLE bundles ADD COLUMN flap INTEGER;
ALTER TABLE bundles ADD COLUMN firing INTEGER NOT NULL DEFAULT 0;
DROP INDEX bundles_due;
CREATE INDEX bundles_due ON bundles (destination, due_at) WHERE subject IS NOT NULL AND closed_at IS NULL AND (folded > told OR flap = 2);
`
