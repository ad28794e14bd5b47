import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { payloadOf } from '../../../test/harness/load/payload.ts'
import { scrapeOf } from '../../../test/harness/metrics.ts'
import type { PostgresServer } from '../../../test/harness/postgres.ts'
import { loadClosed } from '../../load/closed-loop.ts'
import { figure, measure, type Row, type Tables, type TrialOptions } from '../../report.ts'
import { engineCpuSeconds, type Replica, startReplicas } from '../../servers/replicas.ts'
import { BODY_BYTES, configOn, stopAll, sum } from './replicas.ts'

const TITLE = 'cluster: accepted incidents/s of 1 kB, one and three replicas, beside bare inserts'

export interface AcceptCase {
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
}

interface Accepted {
  readonly perSecond: number
  readonly refused: number
  readonly p99Ms: number
  /** Incidents of one append. */
  readonly batch: number
  readonly engineMicros: number
  readonly replicaMicros: number
}

/** Measures what one and three replicas accept, and what one connection inserts in batches of the same size. */
export async function measureAccept(
  { progress, scratch }: TrialOptions,
  server: PostgresServer,
  { connections, rounds, seconds }: AcceptCase,
): Promise<Tables> {
  const bodyFile = join(scratch, 'cluster.json')
  writeFileSync(bodyFile, JSON.stringify(payloadOf(BODY_BYTES)))
  const samples: { readonly one: Accepted; readonly three: Accepted; readonly bare: number }[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`${connections} connections, round ${round} of ${rounds}`)
    const load = { bodyFile, connections, seconds }
    const [one, three] = [await accepted(server, 1, load), await accepted(server, 3, load)]
    samples.push({ one, three, bare: await bareInserts(server, { batch: Math.round(one.batch), seconds }) })
  }
  const row: Row = {
    connections,
    'one replica/s': figure(
      samples.map(({ one }) => one),
      'perSecond',
      0,
    ),
    'incidents/append': figure(
      samples.map(({ one }) => one),
      'batch',
      0,
    ),
    'bare inserts/s': figure(samples, 'bare', 0),
    ratio: measure(
      samples.map(({ one, bare }) => one.perSecond / bare),
      2,
      { atLeast: 0.6 },
    ),
    'three replicas/s': figure(
      samples.map(({ three }) => three),
      'perSecond',
      0,
    ),
    'three/one': measure(
      samples.map(({ one, three }) => three.perSecond / one.perSecond),
      2,
      { atLeast: 0.95 },
    ),
    'p99 ms': figure(
      samples.map(({ one }) => one),
      'p99Ms',
      1,
    ),
    'p99 ms of three': figure(
      samples.map(({ three }) => three),
      'p99Ms',
      1,
    ),
    'engine CPU us/incident': figure(
      samples.map(({ one }) => one),
      'engineMicros',
      1,
    ),
    'replica CPU us/incident': figure(
      samples.map(({ one }) => one),
      'replicaMicros',
      1,
    ),
    refused: samples.reduce((sum, { one, three }) => sum + one.refused + three.refused, 0),
  }
  return { [TITLE]: [row] }
}

interface Load {
  readonly bodyFile: string
  readonly connections: number
  readonly seconds: number
}

/** Starts replicas without a channel on a new database, and loads them after a warm-up. */
async function accepted(server: PostgresServer, count: number, { connections, ...load }: Load): Promise<Accepted> {
  const replicas = await startReplicas(configOn(await server.database()), count)
  const each = Math.max(1, Math.round(connections / count))
  const run = (seconds: number) =>
    Promise.all(
      replicas.map(({ url }) => loadClosed({ ...load, url: `${url}/api/incidents`, connections: each, seconds })),
    )
  try {
    await run(2 * load.seconds)
    const before = await readings(server, replicas)
    const results = await run(load.seconds)
    const after = await readings(server, replicas)
    const perSecond = sum(results.map((result) => result.perSecond))
    const micros = (seconds: number) => (seconds * 1e6) / (perSecond * load.seconds)
    return {
      perSecond,
      refused: sum(results.map(({ refused }) => refused)),
      p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
      batch: (perSecond * load.seconds) / Math.max(1, after.appends - before.appends),
      engineMicros: micros(after.engine - before.engine),
      replicaMicros: micros(after.replicas - before.replicas),
    }
  } finally {
    await stopAll(replicas)
  }
}

async function readings(server: PostgresServer, replicas: readonly Replica[]) {
  const scrapes = await Promise.all(replicas.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
  return {
    appends: sum(scrapes.map((text) => scrapeOf(text).values.get('tocsin_journal_append_seconds_count') ?? 0)),
    engine: await engineCpuSeconds(server),
    replicas: sum(replicas.map((replica) => replica.cpuSeconds())),
  }
}

/** Returns the incidents a second that one connection inserts as rows, a batch in one statement. */
async function bareInserts(server: PostgresServer, { batch, seconds }: { batch: number; seconds: number }) {
  const client = new Client({ connectionString: await server.database() })
  await client.connect()
  try {
    await client.query('CREATE TABLE bare (seq bigserial PRIMARY KEY, at timestamptz DEFAULT now(), content text)')
    const values = Array.from({ length: batch }, (_, at) => `($${at + 1})`).join()
    const insert = { name: 'insert', text: `INSERT INTO bare (content) VALUES ${values}` }
    const content = JSON.stringify(payloadOf(BODY_BYTES))
    const contents = Array.from({ length: batch }, () => content)
    const insertFor = async (ms: number) => {
      const until = performance.now() + ms
      let rows = 0
      for (; performance.now() < until; rows += batch) await client.query(insert, contents)
      return rows
    }
    await insertFor(500)
    return (await insertFor(seconds * 1_000)) / seconds
  } finally {
    await client.end()
  }
}
