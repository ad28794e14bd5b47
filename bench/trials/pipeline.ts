import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { groupedAlert } from '../../test/harness/load/payload.ts'
import { SECRET } from '../../test/harness/net/requests.ts'
import { type CpuUsage, startCpuUsage, threadColumns } from '../load/cpu-usage.ts'
import { postAll } from '../load/post-all.ts'
import { type CaseOptions, figure, type Goal, measure, type Row, type Tables, type TrialOptions } from '../report.ts'
import { setChannel } from '../servers/admin.ts'
import type { Server } from '../servers/server.ts'
import { startService, startSink } from '../servers/start.ts'
import { alertConfigFor, baselineTargets, CHANNELS, resetSink, untilReceived } from '../sinks/sink-client.ts'

/**
 * Deliveries per second beside a bare loop of undici (nodemailer for mail) with bodies of the same size. Measured
 * twice: from the post on, which the bare loop does not do; and from the backlog of a paused channel, which is sending
 * alone.
 */
export const title = 'pipeline: 1 kB alerts to local sinks, deliveries/s of all sinks together'
const THREADS_TITLE = 'pipeline: CPU us per delivery, by thread'
const LOOP = fileURLToPath(new URL('../baselines/undici-loop.ts', import.meta.url))
const WAYS = { posted: 'posted, committed, rendered, delivered', backlog: 'from the backlog: rendered, delivered' }

interface Case {
  readonly sinks: readonly { readonly sinks: number; readonly incidents: number }[]
  /** Deliveries to all sinks together before the measurement. */
  readonly warmUp: number
  readonly rounds: number
}
interface Load {
  readonly sinks: number
  readonly incidents: number
  readonly warmUp: number
}
type Sample = { readonly perSecond: number } & CpuUsage
interface Samples {
  readonly posted: Sample[]
  readonly backlog: Sample[]
  readonly bare: { readonly perSecond: number; readonly cpuMicros: number }[]
}

export function cases({ quick }: CaseOptions): Case[] {
  const few = [
    { sinks: 1, incidents: 2_000 },
    { sinks: 3, incidents: 1_000 },
  ]
  const many = [
    { sinks: 1, incidents: 20_000 },
    { sinks: 3, incidents: 10_000 },
    { sinks: CHANNELS.length, incidents: 5_000 },
  ]
  return [quick ? { sinks: few, warmUp: 1_500, rounds: 1 } : { sinks: many, warmUp: 10_000, rounds: 5 }]
}

export async function run({ progress }: TrialOptions, { sinks: loads, warmUp, rounds }: Case): Promise<Tables> {
  const sink = await startSink()
  const samples = loads.map((): Samples => ({ posted: [], backlog: [], bare: [] }))
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const [at, load] of loads.entries()) {
        progress(`${load.sinks} sinks, round ${round} of ${rounds}`)
        const each = { ...load, warmUp: Math.ceil(warmUp / load.sinks) }
        const { posted, backlog } = await delivered(sink, each)
        samples[at]?.posted.push(posted)
        samples[at]?.backlog.push(backlog)
        samples[at]?.bare.push(await looped(sink, each))
      }
    }
  } finally {
    await sink.stop()
  }
  const rows = (['posted', 'backlog'] as const).flatMap((way) =>
    loads.map(({ sinks }, at) => row(sinks, way, { samples: samples[at], one: samples[0] })),
  )
  const threads = loads.map(({ sinks }, at) => ({ sinks, ...threadColumns(samples[at]?.posted ?? []) }))
  return { [title]: rows, [THREADS_TITLE]: threads }
}

async function delivered(
  sink: Server,
  { sinks, incidents, warmUp }: Load,
): Promise<Record<'posted' | 'backlog', Sample>> {
  const service = await startService({ gateway_secret: SECRET, alert: await alertConfigFor(sink, sinks) })
  const payload = groupedAlert()
  const post = (count: number) => postAll(service.url, count, () => payload)
  const counted = async (work: () => Promise<unknown>): Promise<Sample> => {
    await resetSink(sink)
    const cpuUsage = startCpuUsage(service)
    const began = performance.now()
    await work()
    await untilReceived(sink, incidents * sinks)
    const seconds = (performance.now() - began) / 1_000
    return { perSecond: (incidents * sinks) / seconds, ...cpuUsage(incidents * sinks) }
  }
  try {
    await resetSink(sink)
    await post(warmUp)
    await untilReceived(sink, warmUp * sinks)
    const posted = await counted(() => post(incidents))
    const channels = CHANNELS.slice(0, sinks)
    await Promise.all(channels.map((name) => setChannel(service, name, 'pause')))
    await post(incidents)
    const backlog = await counted(() => Promise.all(channels.map((name) => setChannel(service, name, 'resume'))))
    return { posted, backlog }
  } finally {
    await service.stop()
  }
}

async function looped(sink: Server, { sinks, incidents, warmUp }: Load): Promise<Samples['bare'][number]> {
  const { bytes } = await untilReceived(sink, 0)
  const { addresses, concurrency } = await baselineTargets(sink, sinks)
  const args = [LOOP, addresses.join(','), ...[warmUp, incidents, bytes, concurrency].map(String)]
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ...args])
  return JSON.parse(stdout)
}

type Compared = { readonly samples: Samples | undefined; readonly one: Samples | undefined }

function row(sinks: number, way: keyof typeof WAYS, { samples, one }: Compared): Row {
  const ours = samples?.[way] ?? []
  const bare = samples?.bare ?? []
  return {
    sinks,
    'what is measured': WAYS[way],
    'deliveries/s': figure(ours, 'perSecond', 0),
    'bare loop/s': figure(bare, 'perSecond', 0),
    ratio: compared(ours, bare, sinks === 1 ? { atLeast: 0.6 } : undefined),
    'times one sink': sinks === 1 ? '' : compared(ours, one?.[way] ?? [], sinks === 3 ? { atLeast: 1 } : undefined),
    'CPU us/delivery': figure(ours, 'cpuMicros', 0),
    'CPU us bare': figure(bare, 'cpuMicros', 0),
  }
}

type Rated = { readonly perSecond: number }

/** Ratio within each round. */
function compared(ours: readonly Rated[], theirs: readonly Rated[], goal: Goal | undefined) {
  return measure(
    ours.map((each, at) => each.perSecond / (theirs[at]?.perSecond ?? Number.NaN)),
    2,
    goal,
  )
}
