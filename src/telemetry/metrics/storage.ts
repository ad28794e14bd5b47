import { type Family, gauge, one } from './family.ts'

/** Incidents on disk and the database. */
export const STORAGE: readonly Family[] = [
  gauge('tocsin_incidents_stored', 'Incidents on disk.', ({ storage }) => one(storage?.incidents)),
  gauge(
    'tocsin_incidents_unapplied',
    'Incidents in the journal that are not applied: no list shows them and no message was sent of them.',
    ({ storage }) => one(storage?.unappliedIncidents),
  ),
  gauge(
    'tocsin_apply_lag_seconds',
    'How far applying is behind: age of the oldest incident that waits in the journal; 0 when none waits.',
    ({ storage }) => one(storage && storage.applyLagMs / 1_000),
  ),
  gauge('tocsin_journal_bytes', 'Size of the segment files of the journal.', ({ journal }) => one(journal?.bytes)),
  gauge(
    'tocsin_journal_used_bytes',
    'Size of the segment files with incidents that the database does not hold for sure.',
    ({ journal }) => one(journal?.usedBytes),
  ),
  gauge('tocsin_journal_segments', 'Segment files of the journal.', ({ journal }) => one(journal?.segments)),
  gauge(
    'tocsin_incidents_quarantined',
    'Incidents that cannot be applied: no message was sent of them; the next start tries again.',
    ({ storage }) => one(storage?.quarantinedIncidents),
  ),
  gauge('tocsin_incidents_unindexed', 'Incidents that are not in the full-text index yet.', (snapshot) =>
    one(snapshot.storage?.unindexed),
  ),
  gauge(
    'tocsin_incidents_unacknowledged',
    'Fingerprints whose latest incident is firing and not acknowledged.',
    (snapshot) => one(snapshot.storage?.unacknowledgedFiring),
  ),
  gauge('tocsin_database_bytes', 'Size of the database file.', ({ storage }) => one(storage?.databaseBytes)),
  gauge('tocsin_database_wal_bytes', 'Size of the write-ahead log of the database.', ({ storage }) =>
    one(storage?.walBytes),
  ),
]
