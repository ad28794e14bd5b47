import { inflightOf } from '../snapshot.ts'
import { counter, each, type Family, gauge, one, seconds, values } from './family.ts'

const COMMIT_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
const BATCH = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000]

/** Codes that are shown from the start, with 0: an alert sees only the increase of a series that exists. */
const OVERLOADED = new Set(['ingest_full', 'backlog_full', 'storage_full', 'storage_down'])

/** Requests, from their arrival to the disk. */
export const INGEST: readonly Family[] = [
  counter('tocsin_incidents_accepted_total', 'Incidents committed to disk.', ({ meters }) =>
    values('source', meters.ingest.accepted),
  ),
  counter('tocsin_requests_duplicate_total', 'Requests that repeated an Idempotency-Key.', ({ meters }) =>
    one(meters.ingest.duplicates.value),
  ),
  counter('tocsin_requests_refused_total', 'Intake requests that were refused, by error code.', ({ meters }) =>
    each(
      'code',
      Object.entries(meters.ingest.refused)
        .filter(([code, { value }]) => value > 0 || OVERLOADED.has(code))
        .map(([code, { value }]) => [code, value]),
    ),
  ),
  counter(
    'tocsin_requests_warned_total',
    'Intake requests that were accepted although a parameter has no effect; X-Tocsin-Warning told the sender.',
    ({ meters }) => one(meters.ingest.warned.value),
  ),
  gauge('tocsin_requests_inflight', 'Intake requests that wait for the disk.', (snapshot) => one(inflightOf(snapshot))),
  seconds(
    'tocsin_commit_seconds',
    'Seconds from posting a batch to the journal to its answer.',
    COMMIT_MS,
    ({ meters }) => [{ of: meters.ingest.commitMs.total }],
  ),
  {
    type: 'histogram',
    name: 'tocsin_commit_batch_incidents',
    help: 'Incidents committed in one batch.',
    bounds: BATCH,
    scale: 1,
    distributions: ({ meters }) => [{ of: meters.ingest.batch.total }],
  },
  seconds(
    'tocsin_journal_append_seconds',
    'Seconds of one group of batches in the journal: one write and one fdatasync.',
    COMMIT_MS,
    ({ meters }) => [{ of: meters.journal.appendMs.total }],
  ),
  counter('tocsin_journal_append_failures_total', 'Groups that the disk refused.', ({ meters }) =>
    one(meters.journal.failedAppends.value),
  ),
  counter(
    'tocsin_journal_damaged_total',
    'Places of the journal where committed incidents are damaged or missing; the log names them.',
    ({ meters }) => one(meters.journal.damaged.value),
  ),
  seconds(
    'tocsin_storage_write_seconds',
    'Seconds of one database transaction, with its fsync if it has one.',
    COMMIT_MS,
    ({ meters }) => [{ of: meters.store.writeMs.total }],
  ),
  counter(
    'tocsin_settlements_unknown_total',
    'Results of deliveries or pages that storage had not dispatched; they change nothing.',
    ({ storage }) => one(storage?.unknownSettlements),
  ),
  counter('tocsin_storage_write_failures_total', 'Database transactions that failed.', ({ meters }) =>
    one(meters.store.failedWrites.value),
  ),
]
