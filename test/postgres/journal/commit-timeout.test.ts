import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '../../../src/domain/errors.ts'
import type { Connection } from '../../../src/journal/postgres/connection.ts'
import { TableJournal } from '../../../src/journal/postgres/journal.ts'
import { frameOf } from '../../journal/support.ts'

const COMMIT_TIMEOUT_MS = 5_000
const CONNECT_MS = COMMIT_TIMEOUT_MS / 2
const REFUSE_MS = 500

/** A database that answers until it is silent: then each query takes all the time that it has, of a clock that only that moves. */
class SilentDatabase implements Connection {
  now = 0
  isSilent = false
  queries = 0
  #isConnected = true
  #deadline = Number.POSITIVE_INFINITY

  within<T>(timeoutMs: number, work: () => T): T {
    const before = this.#deadline
    this.#deadline = Math.min(before, this.now + timeoutMs)
    try {
      return work()
    } finally {
      this.#deadline = before
    }
  }

  query() {
    this.queries++
    if (!this.isSilent) return { names: [], rows: [[1, 0, 1]], changes: 0 }
    const sent = this.#isConnected
    this.#isConnected = false
    this.now += Math.max(0, Math.min(sent ? COMMIT_TIMEOUT_MS : CONNECT_MS, this.#deadline - this.now))
    throw new CodedError('storage_down', 'the server did not answer', { cause: { sqlstate: '08006', sent } })
  }
}

function silentJournal() {
  const database = new SilentDatabase()
  const journal = new TableJournal({
    connection: database,
    commitTimeoutMs: COMMIT_TIMEOUT_MS,
    refuseMs: REFUSE_MS,
    now: () => 1_700_000_000_000,
    elapsed: () => database.now,
    sleep: (ms) => {
      database.now += ms
    },
    repeated: () => {},
    damaged: (what) => assert.fail(what),
  })
  journal.open()
  database.isSilent = true
  return { database, journal }
}

const DOWN = { code: 'storage_down' }

test('an append that gets no answer is refused at the commit timeout, also when its outcome is still unknown', () => {
  const { database, journal } = silentJournal()
  assert.throws(() => journal.append([frameOf(['{}'])]), DOWN)
  assert.equal(database.now, COMMIT_TIMEOUT_MS)
})

for (const [name, ask] of [
  ['an append', (journal: TableJournal) => journal.append([frameOf(['{}'])])],
  ['a lookup of keys', (journal: TableJournal) => void journal.findKeys(['k'])],
  ['a check', (journal: TableJournal) => journal.check()],
  ['a question about an incident', (journal: TableJournal) => void journal.find(1)],
] as const)
  test(`what queued behind ${name} without an answer is refused without asking, until the database is tried again`, () => {
    const { database, journal } = silentJournal()
    assert.throws(() => ask(journal), DOWN)
    const { now, queries } = database
    assert.ok(now <= COMMIT_TIMEOUT_MS)
    for (let n = 0; n < 100; n++) assert.throws(() => journal.append([frameOf(['{}'])]), DOWN)
    assert.throws(() => journal.findKeys(['k']), DOWN)
    assert.throws(() => journal.check(), DOWN)
    assert.deepEqual([database.now, database.queries], [now, queries])
    database.now += REFUSE_MS
    database.isSilent = false
    journal.append([frameOf(['{}'])])
    assert.equal(journal.nextNumber, 2)
  })

test('an append whose outcome was unknown cannot take effect once the next one was answered', () => {
  const { database, journal } = silentJournal()
  assert.throws(() => journal.append([frameOf(['{}'])]), DOWN)
  database.now += REFUSE_MS
  database.isSilent = false
  const { queries } = database
  journal.append([frameOf(['{}'])])
  // It raises the barrier before it appends.
  assert.equal(database.queries, queries + 2)
})
