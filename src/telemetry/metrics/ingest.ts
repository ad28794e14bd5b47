import { inflightOf } from '../snapshot.ts'
import { counter, each, type Family, gauge, one, seconds } from './family.ts'

const COMMIT_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
const BATCH = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000]

/** What an alert waits for is told from the start, so that the first one is an increase. */
const OVERLOADED = new Set(['ingest_full', 'backlog_full', 'storage_full', 'storage_down'])

/** From the request to the disk. */
export const INGEST: readonly Family[] = [
  counter('tocsin_incidents_accepted_total', 'Incidents that were committed to disk.', ({ meters }) =>
    each(
      'source',
      Object.entries(meters.ingest.accepted).map(([source, { value }]) => [source, value]),
    ),
  ),
  counter('tocsin_requests_duplicate_total', 'Requests that repeated an Idempotency-Key.', ({ meters }) =>
    one(meters.ingest.duplicates.value),
  ),
  counter('tocsin_requests_refused_total', 'Requests for intake that were refused, by reason.', ({ meters }) =>
    each(
      'code',
      Object.entries(meters.ingest.refused)
        .filter(([code, { value }]) => value > 0 || OVERLOADED.has(code))
        .map(([code, { value }]) => [code, value]),
    ),
  ),
  gauge('tocsin_requests_inflight', 'Requests that are accepted and not answered yet.', (snapshot) =>
    one(inflightOf(snapshot)),
  ),
  seconds('tocsin_commit_seconds', 'From handing a batch to storage to its being on disk.', COMMIT_MS, ({ meters }) => [
    { of: meters.ingest.commitMs.total },
  ]),
  {
    type: 'histogram',
    name: 'tocsin_commit_batch_incidents',
    help: 'Incidents committed together.',
    bounds: BATCH,
    scale: 1,
    distributions: ({ meters }) => [{ of: meters.ingest.batch.total }],
  },
  seconds('tocsin_storage_write_seconds', 'One transaction with its fsync.', COMMIT_MS, ({ meters }) => [
    { of: meters.store.writeMs.total },
  ]),
  counter('tocsin_storage_write_failures_total', 'Transactions that the disk refused or that failed.', ({ meters }) =>
    one(meters.store.failedWrites.value),
  ),
]
