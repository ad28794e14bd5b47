/**
 * Tables of the cluster, for `installSchema`.
 *
 * - replicas: one row is one life of one process. A life whose lease is over may be ended by any other replica, which
 *   deletes the row; a process that finds its row gone begins a new life.
 * - leases: `leader` is held by one life. `fence` is the term: it grows with every take. The end of a life frees what it
 *   held.
 */
export const CLUSTER_TABLES = {
  name: 'cluster',
  migrations: [
    `CREATE TABLE replicas (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       name text NOT NULL,
       address text NOT NULL,
       version text NOT NULL,
       started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
       beat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
       lease_until timestamptz NOT NULL,
       clock_offset_ms double precision,
       figures jsonb
     ) WITH (fillfactor = 50);
     CREATE TABLE leases (
       name text PRIMARY KEY,
       holder bigint REFERENCES replicas (id) ON DELETE SET NULL,
       fence bigint NOT NULL DEFAULT 0,
       since timestamptz
     ) WITH (fillfactor = 50);
     INSERT INTO leases (name) VALUES ('leader');`,
  ],
} as const
