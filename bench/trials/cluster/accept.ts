import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { scrapeOf } from '../../../test/harness/metrics.ts'
import type { PostgresServer } from '../../../test/harness/postgres.ts'
import { type LoadResult, loadClosed } from '../../load/closed-loop.ts'
import { threadColumns } from '../../load/cpu-usage.ts'
import { figure, measure, type Row, type Tables, type TrialOptions } from '../../report.ts'
import { engineCpuSeconds, type Replica, startReplicas } from '../../servers/replicas.ts'
import type { Server } from '../../servers/server.ts'
import { startInsertingBaseline } from '../../servers/start.ts'
import { BODIES } from './bodies.ts'
import { configOn, stopAll, sum } from './replicas.ts'

const TITLE =
  'cluster: accepted incidents/s of 1 kB over HTTP, beside a bare front that inserts what has gathered in one statement; generator, server and engine on the same cores'
const CPU_TITLE = 'cluster: CPU us per accepted incident, one replica'
const LEAST_RATIO = 0.6
const LEAST_OF_THREE = 0.8

export interface AcceptCase {
  readonly connections: number
  /**
   * Finished incidents that are kept. No channel is enabled, so of a flood no more than these are applied: with few, the
   * figures are those of accepting; with many, everything that is accepted is also applied.
   */
  readonly kept: number
  readonly rounds: number
  readonly seconds: number
  /** Each of three replicas gets a third of the load, so its code is compiled three times as late as that of one. */
  readonly warmUpSeconds: number
}

interface Accepted {
  readonly perSecond: number
  readonly refused: number
  readonly p99Ms: number
  /** Incidents of one append or insert. */
  readonly batch: number
  readonly appliedPerSecond: number
  readonly engineMicros: number
  /** Of all processes of the service, as of the bare front. */
  readonly cpuMicros: number
  readonly threads: { readonly [thread: string]: number }
}

interface Sample {
  readonly one: Accepted
  readonly three: Accepted
  readonly front: Accepted
  readonly inserts: number
}

/** Measures what one and three replicas accept, what a bare front does, and what one connection inserts without a front. */
export async function measureAccept(
  { progress, scratch }: TrialOptions,
  server: PostgresServer,
  { connections, kept, rounds, seconds, warmUpSeconds }: AcceptCase,
): Promise<Tables> {
  const load = { bodyFile: join(scratch, 'cluster.json'), connections, seconds, warmUpSeconds }
  writeFileSync(load.bodyFile, BODIES.join('\n'))
  const samples: Sample[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`${connections} connections, ${kept} kept, round ${round} of ${rounds}`)
    const front = await acceptedByFront(server, load)
    const one = await accepted(server, { count: 1, kept, load })
    const three = await accepted(server, { count: 3, kept, load })
    samples.push({ one, three, front, inserts: await bareInserts(server, { batch: Math.round(one.batch), seconds }) })
  }
  const label = { connections, kept }
  return { [TITLE]: [{ ...label, ...rates(samples) }], [CPU_TITLE]: [{ ...label, ...cpuColumns(samples) }] }
}

function rates(samples: readonly Sample[]): Row {
  const [ones, threes, fronts] = [
    samples.map(({ one }) => one),
    samples.map(({ three }) => three),
    samples.map(({ front }) => front),
  ]
  return {
    'one replica/s': figure(ones, 'perSecond', 0),
    'incidents/append': figure(ones, 'batch', 0),
    'bare front/s': figure(fronts, 'perSecond', 0),
    'rows/insert': figure(fronts, 'batch', 0),
    ratio: measure(
      samples.map(({ one, front }) => one.perSecond / front.perSecond),
      2,
      { atLeast: LEAST_RATIO },
    ),
    'inserts without HTTP/s': figure(samples, 'inserts', 0),
    'ratio to these': measure(
      samples.map(({ one, inserts }) => one.perSecond / inserts),
      2,
    ),
    'three replicas/s': figure(threes, 'perSecond', 0),
    'three/one': measure(
      samples.map(({ one, three }) => three.perSecond / one.perSecond),
      2,
      { atLeast: LEAST_OF_THREE },
    ),
    'incidents/append of three': figure(threes, 'batch', 0),
    'p99 ms': figure(ones, 'p99Ms', 1),
    'p99 ms of three': figure(threes, 'p99Ms', 1),
    'p99 ms of the front': figure(fronts, 'p99Ms', 1),
    'passed by applying/s': figure(ones, 'appliedPerSecond', 0),
    refused: samples.reduce((sum, { one, three, front }) => sum + one.refused + three.refused + front.refused, 0),
  }
}

function cpuColumns(samples: readonly Sample[]): Row {
  const { all, ...threads } = threadColumns(samples.map(({ one }) => one))
  const column = (side: 'one' | 'three' | 'front', name: 'engineMicros' | 'cpuMicros') =>
    measure(
      samples.map((sample) => sample[side][name]),
      1,
    )
  return {
    engine: column('one', 'engineMicros'),
    replica: all as Row[string],
    ...Object.fromEntries(Object.entries(threads).map(([name, micros]) => [`of it ${name}`, micros])),
    'engine, three': column('three', 'engineMicros'),
    'replicas, three': column('three', 'cpuMicros'),
    'engine, bare front': column('front', 'engineMicros'),
    'bare front': column('front', 'cpuMicros'),
  }
}

interface Load {
  readonly bodyFile: string
  readonly connections: number
  readonly seconds: number
  readonly warmUpSeconds: number
}

/** Starts replicas without a channel on a new database, and loads them. */
async function accepted(
  server: PostgresServer,
  { count, kept, load }: { readonly count: number; readonly kept: number; readonly load: Load },
): Promise<Accepted> {
  const url = await server.database()
  const { storage, ...config } = configOn(url)
  const postgres = { ...storage.postgres, max_incidents: kept }
  const replicas = await startReplicas({ ...config, storage: { ...storage, postgres } }, count)
  const appliedUpTo = async () =>
    Number((await server.sql('SELECT up_to FROM tocsin.applied', server.admin(url)))[0]?.up_to)
  try {
    return await loaded(server, replicas, load, { appends: () => appendsOf(replicas), appliedUpTo })
  } finally {
    await stopAll(replicas)
  }
}

async function acceptedByFront(server: PostgresServer, load: Load): Promise<Accepted> {
  const front = await startInsertingBaseline(await server.database())
  const appends = async () => Number(await (await fetch(`${front.url}/inserts`)).text())
  try {
    return await loaded(server, [front], load, { appends, appliedUpTo: async () => 0 })
  } finally {
    await front.stop()
  }
}

async function appendsOf(replicas: readonly Replica[]): Promise<number> {
  const scrapes = await Promise.all(replicas.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
  return sum(scrapes.map((text) => scrapeOf(text).values.get('tocsin_journal_append_seconds_count') ?? 0))
}

interface Counters {
  appends(): Promise<number>
  appliedUpTo(): Promise<number>
}

/** Loads all servers at once, each with its share of the connections, after a warm-up. */
async function loaded(
  server: PostgresServer,
  targets: readonly Server[],
  { connections, warmUpSeconds, ...load }: Load,
  counters: Counters,
): Promise<Accepted> {
  const each = Math.max(1, Math.round(connections / targets.length))
  const run = (seconds: number): Promise<LoadResult[]> =>
    Promise.all(
      targets.map(({ url }) => loadClosed({ ...load, url: `${url}/api/incidents`, connections: each, seconds })),
    )
  const read = async () => ({
    appends: await counters.appends(),
    applied: await counters.appliedUpTo(),
    engine: await engineCpuSeconds(server),
    cpu: sum(targets.map((target) => target.cpuSeconds())),
    threads: targets[0]?.cpuSecondsByThread() ?? {},
  })
  await run(warmUpSeconds)
  const before = await read()
  const results = await run(load.seconds)
  const after = await read()
  const perSecond = sum(results.map((result) => result.perSecond))
  const incidents = perSecond * load.seconds
  const micros = (seconds: number) => (seconds * 1e6) / incidents
  const threads = Object.entries(after.threads).map(
    ([name, seconds]) => [name, micros(seconds - (before.threads[name] ?? 0))] as const,
  )
  return {
    perSecond,
    refused: sum(results.map(({ refused }) => refused)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    batch: incidents / Math.max(1, after.appends - before.appends),
    appliedPerSecond: (after.applied - before.applied) / load.seconds,
    engineMicros: micros(after.engine - before.engine),
    cpuMicros: micros(after.cpu - before.cpu),
    threads: Object.fromEntries(threads),
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
    const contents = Array.from({ length: batch }, (_, at) => BODIES[at % BODIES.length])
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
