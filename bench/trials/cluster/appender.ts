import { parentPort, workerData } from 'node:worker_threads'
import { Client } from 'pg'
import { encodeFrame } from '../../../src/domain/frame.ts'
import { TableJournal } from '../../../src/journal/postgres/journal.ts'
import { JOURNAL_MIGRATIONS } from '../../../src/journal/postgres/schema.ts'
import type { PostgresSettings } from '../../../src/postgres/settings.ts'
import { openSyncPostgres } from '../../../src/postgres/sync.ts'
import { median } from '../../../test/harness/statistics.ts'
import { BODIES } from './bodies.ts'

/** `tables`: creates the tables of both sides, and ends. */
export type Side = 'tables' | 'journal' | 'bare'

export interface AppenderPlan {
  readonly url: string
  readonly side: Side
  /** Incidents of one append. */
  readonly batch: number
  readonly seconds: number
}

export interface Appending {
  readonly perSecond: number
  /** Milliseconds of one append or insert. */
  readonly medianMs: number
  /** All, with those of the warm-up. */
  readonly incidents: number
}

const { url, side, batch, seconds } = workerData as AppenderPlan
const WARM_UP_MS = 500
/** Requests that a front puts in one frame at most. */
const PER_FRAME = 32
const contents = Array.from({ length: batch }, (_, at) => BODIES[at % BODIES.length] as string)
const settings: PostgresSettings = {
  url,
  listenUrl: '',
  schema: 'public',
  leaseMs: 5_000,
  commitTimeoutMs: 5_000,
  requireSynchronous: false,
}

const BARE = 'CREATE TABLE bare (seq bigserial PRIMARY KEY, at timestamptz DEFAULT now(), content text)'

if (side === 'tables') createTables()
else {
  const run = side === 'journal' ? openAppends() : await openInserts()
  const warmUp = await repeated(run, WARM_UP_MS)
  const took = await repeated(run, seconds * 1_000)
  const total = took.reduce((sum, ms) => sum + ms, 0)
  parentPort?.postMessage({
    perSecond: (took.length * batch * 1_000) / total,
    medianMs: median(took),
    incidents: (warmUp.length + took.length) * batch,
  } satisfies Appending)
  setImmediate(() => process.exit())
}

function createTables(): void {
  const connection = openSyncPostgres(settings, { applicationName: 'bench' })
  for (const sql of [...JOURNAL_MIGRATIONS, BARE]) connection.exec(sql)
  connection.close()
}

function openAppends(): () => void {
  const connection = openSyncPostgres(settings, { applicationName: 'bench' })
  const journal = new TableJournal({
    connection,
    commitTimeoutMs: settings.commitTimeoutMs,
    refuseMs: 0,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    sleep: () => {},
    repeated() {},
    damaged: (what) => {
      throw new Error(what)
    },
  })
  journal.open()
  const frames = Array.from({ length: Math.ceil(batch / PER_FRAME) }, (_, at) =>
    frameOf(contents.slice(at * PER_FRAME, (at + 1) * PER_FRAME).map((content) => Buffer.from(content))),
  )
  return () => journal.append(frames)
}

function frameOf(bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const columns = {
    receivedAt: bodies.map(() => Date.now()),
    counts: bodies.map(() => 1),
    lengths: bodies.map((body) => body.length),
    options: [],
  }
  return encodeFrame(columns, Buffer.concat(bodies))
}

async function openInserts(): Promise<() => Promise<unknown>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const values = Array.from({ length: batch }, (_, at) => `($${at + 1})`).join()
  const insert = { name: 'insert', text: `INSERT INTO bare (content) VALUES ${values}` }
  return () => client.query(insert, contents)
}

/** Returns the milliseconds of each. */
async function repeated(run: () => unknown, ms: number): Promise<number[]> {
  const took: number[] = []
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const began = performance.now()
    await run()
    took.push(performance.now() - began)
  }
  return took
}
