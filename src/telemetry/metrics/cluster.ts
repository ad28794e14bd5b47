import { REPEAT_CAUSES } from '../meters.ts'
import type { ClusterSnapshot, Snapshot } from '../snapshot.ts'
import { counter, each, type Family, gauge, one } from './family.ts'

/** The replica among those that share a database, and that database. Only with `storage.type: postgres`. */
export const CLUSTER: readonly Family[] = [
  gauge('tocsin_cluster_replicas', 'Replicas that share the database and whose lease has not ended.', (snapshot) =>
    one(snapshot.cluster?.replicas),
  ),
  gauge('tocsin_cluster_leader', '1 on the replica that sends and decides, 0 on the others.', (snapshot) =>
    one(snapshot.cluster && Number(snapshot.cluster.leads)),
  ),
  gauge(
    'tocsin_cluster_lease_left_seconds',
    'Time for which this replica may begin sends unless it beats; 0 when it does not lead.',
    (snapshot) => seconds(snapshot, ({ leaseLeftMs }) => leaseLeftMs),
  ),
  counter('tocsin_cluster_takeovers_total', 'Times that this replica became the leader.', (snapshot) =>
    one(snapshot.cluster?.takeovers),
  ),
  counter('tocsin_cluster_beats_failed_total', 'Beats that did not reach the database.', (snapshot) =>
    one(snapshot.cluster?.beatsFailed),
  ),
  gauge(
    'tocsin_cluster_clock_offset_seconds',
    "The database's clock less that of this machine; times are the database's.",
    (snapshot) => seconds(snapshot, ({ clockOffsetMs }) => clockOffsetMs),
  ),
  gauge('tocsin_store_up', '1 while the database answers this replica, else 0.', (snapshot) =>
    one(snapshot.cluster && Number(snapshot.cluster.storeUp)),
  ),
  gauge('tocsin_store_synchronous', '1 while commits wait for a synchronous standby, else 0.', ({ cluster }) =>
    one(cluster?.synchronous === undefined ? undefined : Number(cluster.synchronous)),
  ),
  counter(
    'tocsin_store_retries_total',
    'Transactions that PostgreSQL undid and that were tried again, by part of the program and by cause.',
    ({ cluster, meters: { journal, store } }) =>
      cluster === undefined
        ? []
        : Object.entries({ journal, store }).flatMap(([part, { repeated }]) =>
            REPEAT_CAUSES.map((cause) => ({ labels: { part, cause }, value: repeated[cause].value })),
          ),
  ),
  gauge('tocsin_store_dead_tuples', 'Rows that vacuum has not removed, by table.', ({ cluster }) =>
    each('table', Object.entries(cluster?.deadTuples ?? {})),
  ),
  gauge(
    'tocsin_store_oldest_transaction_seconds',
    'Age of the oldest transaction on the server; a long one keeps vacuum from its work.',
    (snapshot) => seconds(snapshot, ({ oldestTransactionMs }) => oldestTransactionMs),
  ),
]

const SECOND_MS = 1_000

function seconds({ cluster }: Snapshot, msOf: (cluster: ClusterSnapshot) => number | undefined) {
  const ms = cluster && msOf(cluster)
  return one(ms === undefined ? undefined : ms / SECOND_MS)
}
