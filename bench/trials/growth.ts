import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { msAt } from '../../test/harness/load/latencies.ts'
import { postOpenLoop } from '../../test/harness/load/open-loop.ts'
import { SECRET } from '../../test/harness/net/requests.ts'
import { until } from '../../test/harness/until.ts'
import { type CpuUsage, startCpuUsage, threadColumns } from '../load/cpu-usage.ts'
import { type CaseOptions, figure, measure, type Row, type Tables, type TrialOptions } from '../report.ts'
import { type SeedSize, seeded } from '../seed/seeded.ts'
import { setChannel, stats } from '../servers/admin.ts'
import type { Server } from '../servers/server.ts'
import { startService, startSink } from '../servers/start.ts'
import { alertConfigFor, resetSink, untilReceived } from '../sinks/sink-client.ts'

/**
 * The same load on an empty and on a large database. An incident's cost counts from its arrival until it is delivered
 * on one channel, pending on another, and in the index. Goal: at most 20 % more. The full-text index has three levels
 * from some 8,000 incidents on, and from 130,000 on a fourth, into which everything is merged once more: the size in
 * between separates that from other growth.
 */
export const title = 'growth: CPU us per incident, on an empty and on a large database, in turn'
const THREADS_TITLE = 'growth: CPU us per incident, by thread'

interface Case {
  /** Sizes of the large databases, measured beside an empty one. Only the last has a goal. */
  readonly sizes: readonly SeedSize[]
  readonly perSecond: number
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly rounds: number
}
interface Sample extends CpuUsage {
  /** CPU time per incident until every post is answered; `cpuMicros` adds the search index and the deliveries. */
  readonly answeredMicros: number
  readonly readySeconds: number
  readonly p99Ms: number
  readonly rssMb: number
}

const PENDING_ON = 'chatws'
const MOST_TIMES = 1.2
const DEADLINE_MS = 600_000
const ROOM = 10_000_000

export function cases({ quick }: CaseOptions): Case[] {
  const quickly = { perSecond: 1_000, warmUpSeconds: 0.3, seconds: 0.5, rounds: 1 }
  if (quick) return [{ sizes: [{ incidents: 10_000, pending: 1_000 }], ...quickly }]
  const sizes = [100_000, 1_000_000].map((incidents) => ({ incidents, pending: incidents / 10 }))
  return [{ sizes, perSecond: 2_000, warmUpSeconds: 3, seconds: 8, rounds: 3 }]
}

export async function run(options: TrialOptions, one: Case): Promise<Tables> {
  const { scratch, progress } = options
  const { sizes, rounds } = one
  const directories: { [what: string]: () => string } = { empty: () => mkdtempSync(join(scratch, 'growth-')) }
  for (const size of sizes) {
    const filled = await seeded(options, size)
    directories[fillText(size)] = () => filled
  }
  const sink = await startSink()
  const samples = new Map(Object.keys(directories).map((what) => [what, [] as Sample[]]))
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const [what, directory] of Object.entries(directories)) {
        progress(`${what}, round ${round} of ${rounds}`)
        samples.get(what)?.push(await loaded(sink, directory(), one))
      }
    }
  } finally {
    await sink.stop()
  }
  const empty = samples.get('empty') ?? []
  const goals = new Map(sizes.slice(-1).map((size) => [fillText(size), { atMost: MOST_TIMES }]))
  const threads = Array.from(samples, ([database, each]) => ({ database, ...threadColumns(each) }))
  const rows = Array.from(samples, ([database, each]): Row => {
    const times = each.map(({ cpuMicros }, at) => cpuMicros / (empty[at]?.cpuMicros ?? Number.NaN))
    return { database, ...cells(each), 'times empty': each === empty ? '' : measure(times, 2, goals.get(database)) }
  })
  return { [title]: rows, [THREADS_TITLE]: threads }
}

const fillText = ({ incidents, pending }: SeedSize) =>
  `${incidents.toLocaleString('en')} stored, ${pending.toLocaleString('en')} pending`

async function loaded(sink: Server, dataDir: string, { perSecond, warmUpSeconds, seconds }: Case): Promise<Sample> {
  const began = performance.now()
  const storage = { file: { data_dir: dataDir, max_incidents: ROOM, max_backlog: ROOM } }
  const service = await startService({ gateway_secret: SECRET, alert: await alertConfigFor(sink, 2), storage })
  const readySeconds = (performance.now() - began) / 1_000
  try {
    await setChannel(service, PENDING_ON, 'pause')
    await resetSink(sink)
    const { accepted: warm } = await postOpenLoop(service.url, { perSecond, seconds: warmUpSeconds })
    await settled(service, sink, warm)
    const cpuUsage = startCpuUsage(service)
    const { accepted, curve } = await postOpenLoop(service.url, { perSecond, seconds })
    const { cpuMicros: answeredMicros } = cpuUsage(accepted)
    await settled(service, sink, warm + accepted)
    return {
      readySeconds,
      ...cpuUsage(accepted),
      answeredMicros,
      p99Ms: msAt(curve, 99),
      rssMb: service.rssBytes() / 1e6,
    }
  } finally {
    await service.stop()
  }
}

/** Resolves when all incidents are delivered and in the index. */
async function settled(service: Server, sink: Server, count: number): Promise<void> {
  await untilReceived(sink, count)
  const unindexed = async () => (await stats(service)).storage?.unindexed
  await until(unindexed, (left) => left === 0, { deadlineMs: DEADLINE_MS, everyMs: 100 })
}

function cells(samples: readonly Sample[]): Row {
  return {
    'CPU us/incident': figure(samples, 'cpuMicros', 0),
    'until answered': figure(samples, 'answeredMicros', 0),
    'answered p99 ms': figure(samples, 'p99Ms', 1),
    'memory MB': figure(samples, 'rssMb', 0),
    'ready s': figure(samples, 'readySeconds', 2),
  }
}
