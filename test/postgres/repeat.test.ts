import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatCause } from '../../src/postgres/errors.ts'
import { draft, entriesFor, roomAt, turn } from '../store/support.ts'
import { opened, sharedServer } from './settings.ts'
import { given } from './store/support.ts'

test('a turn of the store is repeated after its connection was ended by the server', async (t) => {
  const there = await given(t)
  if (!there) return
  const { server, connection } = there
  const store = there.open()
  const name = connection.query('SELECT current_database()').rows[0]?.[0]
  const apply = () =>
    turn(store, { entries: entriesFor(store, [{ drafts: [draft()] }]), capacity: roomAt('email') }).applied
  assert.equal(apply(), 1)
  for (let n = 2; n <= 5; n++) {
    await server.sql(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`)
    assert.equal(apply(), n)
  }
})

test('what a repetition cannot help is not repeated, and what is repeated is counted by its cause', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const causes: string[] = []
  const db = opened(t, await server.database(), {}, (error) => causes.push(repeatCause(error)))
  const raised = (sqlstate: string) => {
    try {
      db.query(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${sqlstate}'; END $$`)
    } catch (error) {
      return error
    }
  }
  const now = performance.now()
  for (const sqlstate of ['40001', '40P01', '55P03', '53300', '57P01'])
    assert.equal(db.mayRepeat(raised(sqlstate), now), true)
  for (const sqlstate of ['53100', '57014', '23505', 'TC001']) assert.equal(db.mayRepeat(raised(sqlstate), now), false)
  assert.equal(db.mayRepeat(raised('40001'), now - 5_000), false)
  assert.deepEqual(causes, ['serialization', 'deadlock', 'lock_timeout', 'too_many_connections', 'connection_lost'])
})
