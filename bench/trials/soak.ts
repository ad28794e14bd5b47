import { type LatencyCurve, msAt } from '../../test/harness/load/latencies.ts'
import { type LoadOutcome, postOpenLoop } from '../../test/harness/load/open-loop.ts'
import { median, slope } from '../../test/harness/statistics.ts'
import { watchRss } from '../../test/harness/watch/memory.ts'
import { type CaseOptions, measure, type Row, type TrialOptions } from '../report.ts'
import type { Server } from '../servers/server.ts'
import { startService, startSink } from '../servers/start.ts'
import { alertConfigFor, askSink, resetSink, untilReceived } from '../sinks/sink-client.ts'

/** Memory and latency over ten minutes at 70 % of capacity, with one channel and retention at work. */
export const title = 'soak: 1 kB alerts at 70 % of what is accepted and delivered in a closed loop'

interface Case {
  readonly capacitySeconds: number
  readonly warmUpSeconds: number
  readonly windows: number
  readonly windowSeconds: number
}

const SHARE = 0.7
const SECONDS_PER_HOUR = 3_600
const SAMPLE_MS = 1_000
/** Fewer windows give no slope. */
const ENOUGH = 20

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ capacitySeconds: 1, warmUpSeconds: 0, windows: 3, windowSeconds: 0.5 }]
  return [{ capacitySeconds: 10, warmUpSeconds: 30, windows: 60, windowSeconds: 10 }]
}

interface Window {
  /** End of the window, from the start of the soak. */
  readonly atSeconds: number
  readonly rssMb: number
  readonly answered: LoadOutcome
  /** From the time at which an incident was due to its delivery. */
  readonly delivered: LatencyCurve
}

export async function run({ progress, curve }: TrialOptions, one: Case): Promise<Row[]> {
  const { windows, windowSeconds, warmUpSeconds } = one
  const sink = await startSink()
  const service = await startService({ alert: await alertConfigFor(sink, 1, 'timed') })
  try {
    progress('finding the capacity')
    const capacity = await capacityOf(service, sink, one.capacitySeconds)
    const perSecond = Math.round(SHARE * capacity)
    if (warmUpSeconds > 0) await window(service, sink, { perSecond, seconds: warmUpSeconds })
    const began = performance.now()
    const course: Window[] = []
    for (let n = 1; n <= windows; n++) {
      progress(`${perSecond}/s, ${n} of ${windows} windows of ${windowSeconds} s`)
      const taken = await window(service, sink, { perSecond, seconds: windowSeconds })
      course.push({ ...taken, atSeconds: (performance.now() - began) / 1_000 })
    }
    draw(course, curve)
    return [row({ capacity, perSecond }, course)]
  } finally {
    await service.stop()
    await sink.stop()
  }
}

/** Incidents per second that are accepted and delivered in a closed loop. */
async function capacityOf(service: Server, sink: Server, seconds: number): Promise<number> {
  await resetSink(sink)
  const began = performance.now()
  const { accepted } = await postOpenLoop(service.url, { perSecond: 0, seconds })
  await untilReceived(sink, accepted)
  return accepted / ((performance.now() - began) / 1_000)
}

async function window(service: Server, sink: Server, pace: { readonly perSecond: number; readonly seconds: number }) {
  await Promise.all([resetSink(sink), askSink(sink, '/times')])
  const rss = watchRss(service.pid, SAMPLE_MS)
  const answered = await postOpenLoop(service.url, pace)
  await untilReceived(sink, answered.accepted)
  const { curve: delivered } = await askSink<{ curve: LatencyCurve }>(sink, '/times')
  return { rssMb: median(rss.stop()) / 1e6, answered, delivered }
}

function draw(course: readonly Window[], curve: TrialOptions['curve']): void {
  const over = (plot: string, name: string, figure: (window: Window) => number) =>
    curve({ plot, name, x: 'seconds', points: course.map((each) => [each.atSeconds, figure(each)]) })
  over('soak: resident memory, MB', 'memory', ({ rssMb }) => rssMb)
  over('soak: p99 ms from the due time of each incident', 'answered', ({ answered }) => msAt(answered.curve, 99))
  over('soak: p99 ms from the due time of each incident', 'delivered', ({ delivered }) => msAt(delivered, 99))
}

function row({ capacity, perSecond }: { capacity: number; perSecond: number }, course: readonly Window[]): Row {
  const samples = (figure: (window: Window) => number) => course.map(figure)
  const perHour = (figure: (window: Window) => number) => {
    if (course.length < ENOUGH) return 'too short to tell'
    const points = course.map((each) => [each.atSeconds, figure(each)] as const)
    return Number((slope(points) * SECONDS_PER_HOUR).toFixed(1))
  }
  const rss = ({ rssMb }: Window) => rssMb
  const p99 = ({ delivered }: Window) => msAt(delivered, 99)
  return {
    'capacity/s': Math.round(capacity),
    'offered/s': perSecond,
    minutes: Number(((course.at(-1)?.atSeconds ?? 0) / 60).toFixed(1)),
    'memory MB': measure(samples(rss), 0),
    'memory grows MB/hour': perHour(rss),
    'answered p99 ms': measure(
      samples(({ answered }) => msAt(answered.curve, 99)),
      1,
    ),
    'delivered p99 ms': measure(samples(p99), 1),
    'delivered p99 grows ms/hour': perHour(p99),
    refused: course.reduce((sum, { answered }) => sum + answered.refused, 0),
  }
}
