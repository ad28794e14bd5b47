import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import { PostgresError } from '../../src/postgres/errors.ts'
import type { SyncPostgres } from '../../src/postgres/sync.ts'
import { opened, sharedServer } from './settings.ts'

/** A test with a connection to an empty database. */
function withDatabase(name: string, body: (db: SyncPostgres, t: TestContext) => void): void {
  test(name, async (t) => {
    const server = await sharedServer(t)
    if (server) body(opened(t, await server.database()), t)
  })
}

const first = (db: SyncPostgres, sql: string, values: Parameters<SyncPostgres['query']>[1] = []) =>
  db.query(sql, values).rows[0]

withDatabase('values come back as they were given', (db) => {
  db.exec('CREATE TABLE v (i bigint, f double precision, t text, b bytea)')
  const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
  const rows = [
    [Number.MAX_SAFE_INTEGER, -0.1, 'ä€😀\n"\'\\', bytes],
    [Number.MIN_SAFE_INTEGER, 1e300, '', new Uint8Array()],
    [-1, 5, 'x'.repeat(100_000), new Uint8Array(100_000).fill(7)],
    [null, null, null, null],
  ]
  for (const row of rows) assert.equal(db.query('INSERT INTO v VALUES ($1, $2, $3, $4)', row).changes, 1)
  assert.deepEqual(db.query('SELECT * FROM v').rows, rows)
  assert.deepEqual(db.query('SELECT i, f AS g FROM v').names, ['i', 'g'])
})

withDatabase('types of the server become numbers and texts', (db) => {
  const row = first(
    db,
    `SELECT true, false, 1::smallint, -1::int, 1.5::real, sum(n), avg(n), '{"a": 1}'::jsonb, NULL, ARRAY[1, 2]::text
     FROM generate_series(1::bigint, 4) n`,
  )
  assert.deepEqual(row, [1, 0, 1, -1, 1.5, 10, 2.5, '{"a": 1}', null, '{1,2}'])
})

withDatabase('an integer that JavaScript cannot hold is an error, and the connection stays in step', (db) => {
  assert.throws(() => db.query('SELECT 9007199254740993::bigint'), RangeError)
  assert.deepEqual(first(db, 'SELECT 1'), [1])
})

withDatabase('parameters have a type where PostgreSQL can infer none, or only one that is too narrow', (db) => {
  db.exec('CREATE TABLE p (i bigint, t text)')
  const large = 1_800_000_000_000
  assert.deepEqual(first(db, 'SELECT $1 IS NULL, $2 IS NULL', [null, 'x']), [1, 0])
  assert.deepEqual(first(db, 'SELECT $1 + 1, $2 * 2', [large, 1.5]), [large + 1, 3])
  assert.deepEqual(first(db, 'SELECT coalesce($1, 5)', [large]), [large])
  assert.deepEqual(first(db, 'SELECT $1', [large]), [large])
  assert.deepEqual(first(db, 'SELECT $1', ['text']), ['text'])
  assert.deepEqual(first(db, 'SELECT $1', [new Uint8Array([1])]), [new Uint8Array([1])])
  // Types that have to stay narrow.
  assert.deepEqual(first(db, "SELECT 1::bigint << $1, substr('abc', $2)", [3, 2]), [8, 'bc'])
  // An integer in a column of text.
  db.query('INSERT INTO p VALUES ($1, $2)', [large, 5])
  assert.deepEqual(first(db, 'SELECT * FROM p WHERE t = $1', [5]), [large, '5'])
  db.query('INSERT INTO p SELECT $1, $2 UNION ALL SELECT $3, $4', [1, 'a', 2, 'b'])
  assert.deepEqual(first(db, "SELECT sum(i) FROM p WHERE t < 'c' AND i < 10"), [3])
})

withDatabase('one text is prepared anew for values of another kind', (db) => {
  db.exec('CREATE TABLE k (f double precision, t text)')
  const insert = 'INSERT INTO k VALUES ($1 + 1, $2)'
  for (const value of [null, 1, 2.5, null, 3]) db.query(insert, [value, 'x'])
  assert.deepEqual(
    db.query('SELECT f FROM k').rows.map(([f]) => f),
    [null, 2, 3.5, null, 4],
  )
})

withDatabase('a wrong number of values is refused before it is sent', (db) => {
  assert.throws(() => db.query('SELECT $1::int', []), /0 values were given for 1 parameters/)
  assert.throws(() => db.query('SELECT 1', [1]), /1 values were given for 0 parameters/)
})

withDatabase('queued statements are done in their order with the next query', (db) => {
  db.exec('CREATE TABLE q (n bigint PRIMARY KEY)')
  const changes: number[] = []
  db.begin()
  for (const n of [1, 2, 3]) db.queue('INSERT INTO q VALUES ($1)', [n], (result) => changes.push(result.changes))
  assert.equal(changes.length, 0)
  db.queue('UPDATE q SET n = n + 10 WHERE n >= $1', [2], (result) => changes.push(result.changes))
  assert.deepEqual(first(db, 'SELECT sum(n) FROM q'), [26])
  assert.deepEqual(changes, [1, 1, 1, 2])
  db.commit()
  assert.equal(db.inTransaction, false)
  assert.deepEqual(first(db, 'SELECT count(*) FROM q'), [3])
})

withDatabase('a rollback undoes what was sent, and drops what was not', (db) => {
  db.exec('CREATE TABLE r (n bigint)')
  db.begin()
  db.query('INSERT INTO r VALUES (1)')
  db.queue('INSERT INTO r VALUES (2)')
  db.rollback()
  assert.deepEqual(first(db, 'SELECT count(*) FROM r'), [0])
})

withDatabase('the error of a queued statement is thrown by the commit, and the transaction has no effect', (db) => {
  db.exec('CREATE TABLE e (n bigint PRIMARY KEY)')
  const insert = 'INSERT INTO e VALUES ($1)'
  db.query(insert, [5])
  db.begin()
  for (const n of [1, 1, 2]) db.queue(insert, [n])
  assert.throws(
    () => db.commit(),
    (error) => error instanceof PostgresError && error.sqlstate === '23505' && error.statement === insert,
  )
  assert.equal(db.inTransaction, true)
  db.rollback()
  assert.deepEqual(first(db, 'SELECT count(*) FROM e'), [1])
})

withDatabase('a transaction whose failed statement was ignored cannot be committed', (db) => {
  db.exec('CREATE TABLE f (n bigint)')
  db.begin()
  db.query('INSERT INTO f VALUES (1)')
  assert.throws(() => db.query('SELECT 1 / 0'), { sqlstate: '22012' })
  assert.throws(() => db.commit(), { sqlstate: '25P02' })
  db.rollback()
  assert.deepEqual(first(db, 'SELECT count(*) FROM f'), [0])
})

withDatabase('a new statement whose types have to be found does not harm the open transaction', (db) => {
  db.exec('CREATE TABLE g (n bigint)')
  db.begin()
  db.queue('INSERT INTO g VALUES (1)')
  assert.deepEqual(first(db, "SELECT 1::bigint << $1, $2 IS NULL, substr('abc', $3)", [2, null, 3]), [4, 1, 'c'])
  assert.throws(() => db.query('SELECT nothing FROM nowhere'), { sqlstate: '42P01' })
  db.commit()
  assert.deepEqual(first(db, 'SELECT count(*) FROM g'), [1])
})

withDatabase('statements are used again after the schema changed below them', (db) => {
  db.exec('CREATE TABLE s (n int); INSERT INTO s VALUES (1)')
  assert.deepEqual(first(db, 'SELECT * FROM s'), [1])
  db.exec('ALTER TABLE s ALTER n TYPE bigint, ADD m text')
  assert.throws(() => db.query('SELECT * FROM s'), storageDown)
  assert.deepEqual(first(db, 'SELECT * FROM s'), [1, null])
})

withDatabase(
  'a lock is not waited for longer than the timeout, and the error says that a repetition may help',
  (db, t) => {
    assert.ok(db.query('SELECT 1'))
    db.exec('CREATE TABLE l (n bigint); INSERT INTO l VALUES (1)')
    const other = opened(t, urlOf(db), { commitTimeoutMs: 1_000 })
    db.begin()
    db.query('UPDATE l SET n = 2')
    assert.throws(() => other.query('UPDATE l SET n = 3'), storageDown)
    db.commit()
    assert.equal(other.query('UPDATE l SET n = 4').changes, 1)
    assert.throws(() => other.query('SELECT pg_sleep(10)'), storageDown)
    other.patient(60_000, () => other.query('SELECT pg_sleep(1.2)'))
    assert.throws(() => other.query('SELECT pg_sleep(10)'), storageDown)
  },
)

withDatabase('more statements than a connection keeps are prepared again', (db) => {
  for (let n = 0; n < 2_200; n++) db.query(`SELECT ${n}`)
  assert.deepEqual(first(db, 'SELECT 0'), [0])
  assert.ok((first(db, 'SELECT count(*) FROM pg_prepared_statements')?.[0] as number) <= 2_001)
})

withDatabase('tables are those of the schema of the settings', (db, t) => {
  db.exec('CREATE SCHEMA "Odd ""name"; CREATE TABLE "Odd ""name".z (n bigint)')
  const other = opened(t, urlOf(db), { schema: 'Odd "name' })
  assert.deepEqual(first(other, 'SELECT count(*) FROM z'), [0])
})

function urlOf(db: SyncPostgres): string {
  const [port, name] = first(db, 'SELECT inet_server_port(), current_database()') ?? []
  return `postgres://tocsin@127.0.0.1:${port}/${name}`
}

function storageDown(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'storage_down'
}
