/** Statements of a member. Times of the database are its own clock's; parameters and answers are milliseconds. */

const REPLICAS = `SELECT json_agg(json_build_object(
  'id', id, 'name', name, 'address', address, 'version', version,
  'startedAt', round(extract(epoch FROM started_at) * 1000),
  'beatAgeMs', extract(epoch FROM clock_timestamp() - beat_at) * 1000,
  'leaseLeftMs', extract(epoch FROM lease_until - clock_timestamp()) * 1000,
  'clockOffsetMs', clock_offset_ms, 'figures', figures) ORDER BY name, id) FROM replicas`

/**
 * Renews a life and tells all about the cluster. `alive` is 0 when the life was ended; a lease that is over and that no
 * replica has ended may be renewed. Its parameters: life, lease, clock offset, figures.
 */
export const BEAT = `WITH beat AS (
  UPDATE replicas SET beat_at = clock_timestamp(), lease_until = clock_timestamp() + $2::float8 * interval '1 millisecond',
    clock_offset_ms = $3::float8, figures = $4::jsonb
  WHERE id = $1::bigint RETURNING 1)
SELECT (SELECT count(*) FROM beat)::int AS alive, extract(epoch FROM clock_timestamp()) * 1000 AS now,
  substring(pg_walfile_name(pg_current_wal_lsn()) FOR 8) AS timeline,
  current_setting('synchronous_standby_names') <> '' AS synchronous,
  holder, fence, (${REPLICAS}) AS replicas
FROM leases WHERE name = 'leader'`

/**
 * Ends the life of the process that ran at the same address before, and has freed its port. Its parameters: name, address.
 */
export const SUCCEED = `DELETE FROM replicas WHERE name = $1 AND address = $2 AND address <> ''`

/** Begins a life. Its parameters: name, address, version, lease. */
export const BEGIN_LIFE = `INSERT INTO replicas (name, address, version, lease_until)
VALUES ($1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond') RETURNING id`

/** Ends the lives whose lease is over. A beat of the same life excludes this by the lock of its row. */
export const REAP = `DELETE FROM replicas WHERE id IN (
  SELECT id FROM replicas WHERE lease_until < clock_timestamp() AND id <> $1::bigint FOR UPDATE SKIP LOCKED)
RETURNING name`

/** Takes the lease when no life holds it. */
export const TAKE = `UPDATE leases SET holder = $1::bigint, fence = fence + 1, since = clock_timestamp()
WHERE name = 'leader' AND holder IS NULL AND EXISTS (SELECT 1 FROM replicas WHERE id = $1::bigint) RETURNING fence`

/** Ends the own life, which frees the lease, and wakes the others. Its parameters: life, channel. */
export const LEAVE = `WITH left_over AS (DELETE FROM replicas WHERE id = $1::bigint RETURNING 1)
SELECT pg_notify($2, '') FROM (SELECT count(*) FROM left_over) AS ended`
