import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fenced } from '../../../src/store/engine/sql.ts'
import { openPostgresStore } from '../../../src/store/postgres/engine.ts'
import type { Store } from '../../../src/store/store.ts'
import { draft, entriesFor, roomAt, turn } from '../../store/support.ts'
import { ownServer } from '../settings.ts'
import { given } from './support.ts'

const apply = (store: Store, incidents = 1) =>
  turn(store, {
    entries: entriesFor(store, [{ drafts: Array.from({ length: incidents }, () => draft()) }]),
    capacity: roomAt('email'),
  })

test('a store that was opened elsewhere since writes nothing more', async (t) => {
  const there = await given(t)
  if (!there) return
  const first = there.open()
  const held = apply(first).dispatches
  const second = there.open()
  assert.throws(() => apply(first), Fenced)
  assert.throws(() => first.maintenance.index(10), Fenced)
  assert.throws(() => first.status.check(), Fenced)
  assert.equal(second.journal.progress().applied, 1)
  const [again] = turn(second, { capacity: roomAt('email') }).dispatches
  assert.deepEqual([again?.incident, again?.kind === 'delivery' && again.mayDuplicate], [held[0]?.incident, true])
  assert.equal(apply(second).applied, 2)
})

test('a store waits for the transaction of the one before, and opens after it', async (t) => {
  const there = await given(t)
  if (!there) return
  const connection = there.connect()
  const first = there.open(connection)
  apply(first)
  const other = there.connect()
  other.exec("SET lock_timeout = '100ms'")
  const inside = openPostgresStore(connection).engine
  inside?.beginLife()
  inside?.transact(
    () => {
      connection.flush()
      assert.throws(() => openPostgresStore(other).engine?.beginLife(), /lock timeout/)
    },
    { synced: true, undo() {} },
  )
  assert.equal(openPostgresStore(other).engine?.beginLife(), 3)
})

test('without the lease of its term a store is not opened', async (t) => {
  const there = await given(t)
  if (!there) return
  const { connection } = there
  connection.exec("CREATE TABLE leases (name text PRIMARY KEY, fence bigint); INSERT INTO leases VALUES ('leader', 7)")
  const at = (term: number) => openPostgresStore(there.connect(), { term }).engine?.beginLife()
  assert.throws(() => at(6), Fenced)
  assert.equal(at(7), 1)
})

test('a server that crashes is used again; when it lost what was not synced, the store has to be opened anew', async (t) => {
  const there = await given(t, ownServer)
  if (!there) return
  const { server } = there
  await server.configure({ wal_writer_delay: "'10s'", wal_writer_flush_after: "'1GB'" })
  const store = there.open()
  apply(store)
  await server.crash()
  await server.start()
  const { applied } = apply(store)
  assert.equal(applied, 2)
  // Nobody has room: the turn is not synced.
  turn(store, { entries: entriesFor(store, [{ drafts: [draft()] }]) })
  await server.crash()
  await server.start()
  let failure: unknown
  for (let tries = 0; tries < 3 && !(failure instanceof Fenced); tries++)
    try {
      apply(store)
    } catch (error) {
      failure = error
    }
  const again = there.open()
  assert.ok(failure instanceof Fenced || again.journal.progress().applied > applied + 1, String(failure))
})
