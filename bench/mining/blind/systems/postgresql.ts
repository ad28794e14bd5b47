import { eventsOf, type System } from '../event.ts'
import {
  address,
  count,
  decimal,
  hex,
  integer,
  joined,
  living,
  names,
  oneOf,
  part,
  port,
  processId,
  shared,
  stampOf,
} from '../values.ts'

/** Sessions: user, database, application, address, port and process. */
const session = shared(
  'session',
  living(
    'session',
    40,
    joined(
      names(
        [
          'app|shop|orders-api',
          'billing|billing|PostgreSQL JDBC Driver',
          'orders|shop|pgbouncer',
          'reporting|analytics|metabase',
          'postgres|postgres|psql',
          'app|analytics|orders-api',
        ],
        ['etl_nightly|analytics|airflow', 'mdavis|shop_staging|DBeaver 24.1.0 - Main', 'grafana|tenant_0042|grafana'],
      ),
      '|',
      oneOf(address, address, address, () => '[local]'),
      '|',
      port,
      '|',
      processId,
    ),
  ),
)
const table = shared(
  'table',
  names(
    ['orders', 'order_items', 'customers', 'sessions', 'invoices', 'outbox', 'stock', 'payments'],
    ['order_events_2026_04', 'feature_flags', 'vouchers'],
  ),
)
const word = names(
  ['shipped', 'anna.k@example.com', 'DE', 'pending', 'M-4711', 'null'],
  ['returned', 'FR', 'ops@example.org'],
)
const clock = joined(integer(0, 2), ':', integer(10, 59), ':', integer(10, 59), '.', integer(100, 999))

/** The server log of PostgreSQL 16 with `log_line_prefix = '%m [%p] %q%u@%d '`, connections and slow statements logged. */
export const postgresql: System = {
  name: 'PostgreSQL',
  header({ cells: [level, process] }, draw) {
    if (process === 'more') return '\t'
    const { year, month, day, clock, ms } = stampOf(draw)
    const [user, database, , , , pid] = session(draw).split('|')
    const client = process === 'client' ? `${user}@${database} ` : ''
    return `${year}-${month}-${day} ${clock}.${ms} UTC [${pid}] ${client}${level}:  `
  },
  values: {
    user: part(session, 0),
    db: part(session, 1),
    table,
    relation: joined(part(session, 1), '.public.', table),
    index: joined(table, names(['_pkey', '_created_at_idx', '_customer_id_idx', '_uniq'])),
    app: part(session, 2),
    ip: part(session, 3),
    port: part(session, 4),
    pid: processId,
    n: count(90_000),
    few: count(40),
    pct: decimal(2, 100),
    ms: decimal(3, 9_000),
    s: decimal(3, 30),
    id: count(9_000_000),
    clock,
    lsn: joined(integer(1, 9), '/', hex(8)),
    segment: shared('segment', joined('0000000100000', hex(3), '000000', hex(2))),
    portal: names(['<unnamed>', 'S_1', 'S_2', 'S_14', 'C_7'], ['S_31']),
    cipher: names(['TLS_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384']),
    tls: names(['TLSv1.3', 'TLSv1.2']),
    method: names(['scram-sha-256', 'md5', 'peer'], ['cert']),
    params: (draw) =>
      Array.from(
        { length: draw.random.integer(1, 5) },
        (_, at) => `$${at + 1} = '${oneOf(count(99_999), count(99_999), count(99_999), word)(draw)}'`,
      ).join(', '),
    word,
    column: shared('column', names(['customer_id', 'email', 'status', 'sku', 'created_at'], ['voucher_code'])),
    flags: names(['time', 'wal', 'immediate force wait', 'shutdown immediate'], ['end-of-recovery immediate wait']),
    lock: names(
      ['ShareLock', 'ExclusiveLock', 'AccessExclusiveLock', 'RowExclusiveLock'],
      ['ShareUpdateExclusiveLock'],
    ),
    temp: joined('base/pgsql_tmp/pgsql_tmp', processId, '.', integer(0, 20)),
    kb: joined(count(900_000), names(['kB', 'MB'])),
    function: names(['reserve_stock(integer,integer)', 'close_invoice(uuid)'], ['apply_voucher(text)']),
    standby: living('standby', 3, names(['walreceiver', 'standby_b', 'pg_basebackup'])),
    stamp: joined(
      '2026-03-31 ',
      integer(10, 23),
      ':',
      integer(10, 59),
      ':',
      integer(10, 59),
      '.',
      integer(10, 99),
      '+00',
    ),
  },
  events: eventsOf(`
    270 LOG server | connection received: host=<ip> port=<port>
    150 LOG client | connection authenticated: identity="<user>" method=<method> (/etc/postgresql/16/main/pg_hba.conf:<few>)
    150 LOG client | connection authorized: user=<user> database=<db> application_name=<app>
     70 LOG client | connection authorized: user=<user> database=<db> application_name=<app> SSL enabled (protocol=<tls>, cipher=<cipher>, bits=<n>)
     12 LOG client | replication connection authorized: user=<user> application_name=<standby>
    220 LOG client | disconnection: session time: <clock> user=<user> database=<db> host=<ip> port=<port>
    130 LOG client | duration: <ms> ms  execute <portal>: SELECT o.id, o.status FROM orders o WHERE o.customer_id = $1 ORDER BY o.created_at DESC LIMIT $2
      + DETAIL client | parameters: <params>
     60 LOG client | duration: <ms> ms  execute <portal>: UPDATE stock SET reserved = reserved + $1 WHERE sku = $2
      + DETAIL client | parameters: <params>
     45 LOG client | duration: <ms> ms  statement: SELECT count(*) FROM sessions WHERE last_seen > now() - interval '<few> minutes'
     30 LOG client | duration: <ms> ms  execute <portal>: INSERT INTO outbox (topic, key, payload) VALUES ($1, $2, $3)
      + DETAIL client | parameters: <params>
     25 LOG client | duration: <ms> ms  statement: COMMIT
     12 LOG client | duration: <ms> ms  parse <portal>: SELECT * FROM invoices WHERE id = $1 FOR UPDATE
     14 LOG client | duration: <ms> ms  bind <portal>: SELECT * FROM invoices WHERE id = $1 FOR UPDATE
      + DETAIL client | parameters: <params>
      6 LOG client | duration: <ms> ms  statement: REFRESH MATERIALIZED VIEW CONCURRENTLY daily_sales
      3 LOG client | duration: <ms> ms  statement: COPY public.<table> (id, created_at, payload) TO stdout;
     34 LOG server | checkpoint starting: <flags>
     34 LOG server | checkpoint complete: wrote <n> buffers (<pct>%); <few> WAL file(s) added, <few> removed, <few> recycled; write=<s> s, sync=<s> s, total=<s> s; sync files=<few>, longest=<s> s, average=<s> s; distance=<n> kB, estimate=<n> kB; lsn=<lsn>, redo lsn=<lsn>
     18 LOG server | automatic vacuum of table "<relation>": index scans: <few>
      + LOG more | pages: <n> removed, <n> remain, <n> scanned (<pct>% of total)
      + LOG more | tuples: <n> removed, <n> remain, <few> are dead but not yet removable
      + LOG more | removable cutoff: <id>, which was <few> XIDs old when operation ended
      +0-1 LOG more | index scan needed: <n> pages from table (<pct>% of total) had <n> dead item identifiers removed
      +1-3 LOG more | index "<index>": pages: <n> in total, <few> newly deleted, <few> currently deleted, <few> reusable
      + LOG more | avg read rate: <s> MB/s, avg write rate: <s> MB/s
      + LOG more | buffer usage: <n> hits, <n> misses, <n> dirtied
      + LOG more | WAL usage: <n> records, <few> full page images, <id> bytes
      + LOG more | system usage: CPU: user: <s> s, system: <s> s, elapsed: <s> s
     12 LOG server | automatic analyze of table "<relation>"
      + LOG more | avg read rate: <s> MB/s, avg write rate: <s> MB/s
      + LOG more | buffer usage: <n> hits, <n> misses, <n> dirtied
      + LOG more | system usage: CPU: user: <s> s, system: <s> s, elapsed: <s> s
     16 LOG client | temporary file: path "<temp>", size <id>
      + STATEMENT client | SELECT c.email, sum(i.total) FROM customers c JOIN invoices i ON i.customer_id = c.id GROUP BY c.email ORDER BY 2 DESC
     14 LOG client | process <pid> still waiting for <lock> on transaction <id> after <ms> ms
      + DETAIL client | Process holding the lock: <pid>. Wait queue: <pid>.
      + CONTEXT client | while updating tuple (<n>,<few>) in relation "<table>"
      + STATEMENT client | UPDATE stock SET reserved = reserved + $1 WHERE sku = $2
     12 LOG client | process <pid> acquired <lock> on transaction <id> after <ms> ms
      + CONTEXT client | while updating tuple (<n>,<few>) in relation "<table>"
      + STATEMENT client | UPDATE stock SET reserved = reserved + $1 WHERE sku = $2
    !20 ERROR client | duplicate key value violates unique constraint "<index>"
      + DETAIL client | Key (<column>)=(<word>) already exists.
      + STATEMENT client | INSERT INTO customers (email, country) VALUES ($1, $2) RETURNING id
     !8 ERROR client | insert or update on table "<table>" violates foreign key constraint "<index>"
      + DETAIL client | Key (<column>)=(<n>) is not present in table "<table>".
      + STATEMENT client | INSERT INTO order_items (order_id, sku, quantity) VALUES ($1, $2, $3)
     !5 ERROR client | null value in column "<column>" of relation "<table>" violates not-null constraint
      + DETAIL client | Failing row contains (<n>, null, <word>, <stamp>).
     !6 ERROR client | new row for relation "<table>" violates check constraint "<index>"
      + DETAIL client | Failing row contains (<n>, null, <word>, <stamp>).
     !9 ERROR client | canceling statement due to statement timeout
      + STATEMENT client | SELECT count(*) FROM sessions WHERE last_seen > now() - interval '<few> minutes'
     !5 ERROR client | canceling statement due to user request
     !4 ERROR client | canceling statement due to lock timeout
      + CONTEXT client | while locking tuple (<n>,<few>) in relation "<table>"
     !4 ERROR client | canceling statement due to conflict with recovery
      + DETAIL client | User query might have needed to see row versions that must be removed.
     !4 ERROR client | deadlock detected
      + DETAIL client | Process <pid> waits for <lock> on transaction <id>; blocked by process <pid>.
      + LOG more | Process <pid> waits for <lock> on transaction <id>; blocked by process <pid>.
      + HINT client | See server log for query details.
     !7 ERROR client | relation "<table>" does not exist at character <few>
     !4 ERROR client | column "<column>" does not exist at character <few>
      + HINT client | Perhaps you meant to reference the column "<table>.<column>".
     !4 ERROR client | syntax error at or near "<word>" at character <few>
     !3 ERROR client | syntax error at end of input at character <few>
     !4 ERROR client | permission denied for table <table>
     !3 ERROR client | permission denied for schema <db>
     !3 ERROR client | invalid input syntax for type integer: "<word>"
     !3 ERROR client | invalid input syntax for type uuid: "<word>"
     !3 ERROR client | value too long for type character varying(<few>)
     !3 ERROR client | could not serialize access due to concurrent update
     !2 ERROR client | could not serialize access due to read/write dependencies among transactions
      + HINT client | The transaction might succeed if retried.
     !3 ERROR client | current transaction is aborted, commands ignored until end of transaction block
     !2 ERROR client | division by zero
      + CONTEXT client | PL/pgSQL function <function> line <few> at assignment
     !1 ERROR client | out of shared memory
      + HINT client | You might need to increase max_locks_per_transaction.
     !1 ERROR client | could not extend file "base/<n>/<n>": No space left on device
      + HINT client | Check free disk space.
     !1 ERROR client | could not read block <n> in file "base/<n>/<n>": read only <n> of <n> bytes
     !1 ERROR client | invalid page in block <n> of relation base/<n>/<n>
     !6 FATAL client | password authentication failed for user "<user>"
      + DETAIL client | Connection matched file "/etc/postgresql/16/main/pg_hba.conf" line <few>: "host all all <ip>/<few> scram-sha-256"
     !4 FATAL client | no pg_hba.conf entry for host "<ip>", user "<user>", database "<db>", no encryption
     !4 FATAL client | database "<db>" does not exist
     !3 FATAL client | role "<user>" does not exist
     !3 FATAL client | sorry, too many clients already
     !3 FATAL client | remaining connection slots are reserved for roles with the SUPERUSER attribute
     !3 FATAL client | terminating connection due to administrator command
     !2 FATAL client | terminating connection due to idle-in-transaction timeout
     !1 FATAL server | the database system is starting up
     !1 FATAL server | the database system is in recovery mode
      8 LOG client | could not receive data from client: Connection reset by peer
      6 LOG client | unexpected EOF on client connection with an open transaction
     !3 LOG client | could not send data to client: Broken pipe
      2 LOG server | invalid length of startup packet
      4 LOG server | received SIGHUP, reloading configuration files
      3 LOG server | parameter "<word>" changed to "<kb>"
     !3 WARNING client | there is already a transaction in progress
      3 WARNING client | there is no transaction in progress
     !1 WARNING server | database "<db>" must be vacuumed within <id> transactions
      + HINT server | To avoid a database shutdown, execute a database-wide VACUUM in that database.
      2 LOG server | checkpoints are occurring too frequently (<few> seconds apart)
      + HINT server | Consider increasing the configuration parameter "max_wal_size".
     !2 LOG server | server process (PID <pid>) was terminated by signal 9: Killed
      + DETAIL server | Failed process was running: SELECT c.email, sum(i.total) FROM customers c JOIN invoices i ON i.customer_id = c.id GROUP BY c.email ORDER BY 2 DESC
     !1 LOG server | terminating any other active server processes
     !1 LOG server | all server processes terminated; reinitializing
     !1 LOG server | archive command failed with exit code <few>
      + DETAIL server | The failed archive command was: test ! -f /archive/<segment> && cp pg_wal/<segment> /archive/<segment>
      2 LOG server | database system is ready to accept connections
      1 LOG server | database system was interrupted; last known up at <stamp>
      2 LOG server | redo starts at <lsn>
      2 LOG server | redo done at <lsn> system usage: CPU: user: <s> s, system: <s> s, elapsed: <s> s
     !1 ERROR client | requested WAL segment <segment> has already been removed
      + STATEMENT client | START_REPLICATION SLOT "<standby>" <lsn> TIMELINE 1
      1 LOG server | listening on IPv4 address "<ip>", port <n>
      1 LOG server | listening on Unix socket "/var/run/postgresql/.s.PGSQL.5432"
  `),
}
