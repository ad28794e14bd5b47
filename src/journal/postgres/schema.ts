import { compressed } from '../../postgres/compression.ts'

/**
 * Tables of the journal that replicas share, one migration a text:
 *
 * - journal_head: one row. Its lock is held from the numbering of an append to its commit, so numbers have no gaps and
 *   are in the order of commit over all replicas. An append names the `barrier` that it knows; raising it keeps a
 *   statement whose connection was lost from taking effect later.
 * - journal: one row for up to 256 KiB of frames of one append. `last`, `first`: numbers of its incidents. `append` names
 *   the append. The frames are numbered when they are read.
 * - journal_keys: the idempotency keys of 24 h, with the first incident of the request that used each.
 * - journal_progress: one row, as the leader's journal thread wrote it last: how far incidents are applied, and how many
 *   dispatches are pending.
 */
export const JOURNAL_MIGRATIONS: readonly string[] = [
  `CREATE TABLE journal_head (
    id integer PRIMARY KEY CHECK (id = 1),
    next bigint NOT NULL,
    keyed bigint NOT NULL,
    barrier bigint NOT NULL
  ) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
  INSERT INTO journal_head (id, next, keyed, barrier) VALUES (1, 1, 0, 0);
  CREATE TABLE journal (
    last bigint PRIMARY KEY,
    first bigint NOT NULL,
    committed_at bigint NOT NULL,
    append bigint NOT NULL,
    frames bytea NOT NULL
  ) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_scale_factor = 1, autovacuum_analyze_threshold = 1000000,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 50000,
    toast.autovacuum_vacuum_cost_delay = 0, toast.autovacuum_vacuum_insert_scale_factor = 1
  );
  ALTER TABLE journal ALTER COLUMN frames SET STORAGE EXTERNAL;
  CREATE TABLE journal_keys (
    key text COLLATE "C" PRIMARY KEY,
    number bigint NOT NULL,
    id_prefix text NOT NULL,
    used_at bigint NOT NULL
  );
  CREATE INDEX journal_keys_used_at ON journal_keys (used_at);
  CREATE TABLE journal_progress (
    id integer PRIMARY KEY CHECK (id = 1),
    applied bigint NOT NULL,
    backlog bigint NOT NULL
  ) WITH (fillfactor = 10);
  INSERT INTO journal_progress (id, applied, backlog) VALUES (1, 0, 0)`,
  compressed('journal', 'frames'),
]

/** Milliseconds by the clock of the database. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
/** Time for which an idempotency key holds. */
export const KEY_TTL_MS = 24 * 3_600_000
