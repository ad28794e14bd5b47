import type { TestContext } from 'node:test'
import type { KeyedRequest } from '../../../src/domain/frame.ts'
import { keyedRequests } from '../../../src/domain/frame.ts'
import type { Connection } from '../../../src/journal/postgres/connection.ts'
import { TableJournal } from '../../../src/journal/postgres/journal.ts'
import { openTableReader } from '../../../src/journal/postgres/reader.ts'
import { JOURNAL_MIGRATIONS } from '../../../src/journal/postgres/schema.ts'
import type { SyncPostgres } from '../../../src/postgres/sync.ts'
import { type PostgresServer, postgresServer } from '../../harness/postgres.ts'
import { bodiesOf } from '../../journal/support.ts'
import { opened } from '../settings.ts'

/** Returns a server, or skips the test. */
export async function serverFor(t: TestContext): Promise<PostgresServer | undefined> {
  const server = await postgresServer()
  if (!('missing' in server)) return server
  t.skip(server.missing)
  return undefined
}

/** Opens a connection that ends with the test. */
export const connect = (t: TestContext, url: string): SyncPostgres => opened(t, url, COMMIT_TIMEOUT)
const COMMIT_TIMEOUT = { commitTimeoutMs: 10_000 }

/** The store's table of how far it is, which the journal reads. */
const APPLIED = 'CREATE TABLE applied (up_to bigint NOT NULL); INSERT INTO applied VALUES (0)'

/** Returns the URL of a database with the tables of the journal, and a connection to it. */
export async function newTables(t: TestContext, server: PostgresServer) {
  const url = await server.database()
  const connection = connect(t, url)
  connection.exec(
    `DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; ${[...JOURNAL_MIGRATIONS, APPLIED].join(';')}`,
  )
  return { url, connection }
}

interface Opened {
  readonly journal: TableJournal
  /** Reports of damage. */
  readonly damage: readonly string[]
  /** Errors after which an append was tried again. */
  readonly repeated: readonly unknown[]
}

export function openOn(connection: Connection, commitTimeoutMs = 10_000): Opened {
  const damage: string[] = []
  const repeated: unknown[] = []
  const journal = new TableJournal({
    connection,
    commitTimeoutMs,
    refuseMs: 0,
    now: () => 1_700_000_000_000,
    elapsed: () => performance.now(),
    sleep: (ms) => void Atomics.wait(NOTHING, 0, 0, ms),
    repeated: (error) => repeated.push(error),
    damaged: (what) => damage.push(what),
  })
  journal.open()
  return { journal, damage, repeated }
}
const NOTHING = new Int32Array(new SharedArrayBuffer(4))

/** Returns the bodies by number that a reader finds from `from` on; fails at a gap or damage. */
export function bodiesIn(connection: Connection, from: number, committed: number): ReadonlyMap<number, string> {
  const reader = openTableReader(connection)
  const bodies = new Map<number, string>()
  for (let next = from; next <= committed; ) {
    for (const { frame, first, last, damage } of reader.read(next, committed)) {
      if (damage !== undefined) throw new Error(damage)
      if (first !== next) throw new Error(`${first} follows on ${next - 1}`)
      for (const [number, body] of bodiesOf(frame)) bodies.set(number, body)
      next = last + 1
    }
  }
  return bodies
}

/** Number of the last incident in the table. */
export const committedIn = (connection: Connection): number =>
  ((connection.query('SELECT next FROM journal_head').rows[0] as readonly unknown[])[0] as number) - 1

export const keysOf = (frame: Uint8Array): KeyedRequest[] => [...keyedRequests(frame)]
