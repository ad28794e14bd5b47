import { setTimeout as pause } from 'node:timers/promises'
import { msAt } from '../../test/harness/load/latencies.ts'
import { type OpenLoopResult, postOpenLoop } from '../../test/harness/load/open-loop.ts'
import { type CaseOptions, type Curve, measure, type Row, type TrialOptions } from '../report.ts'
import { type Server, startService, startSink } from '../servers/server.ts'
import { alertConfigFor, askSink, resetSink, untilReceived } from '../sinks/sinks.ts'
import { slope } from '../slope.ts'

/** What stays as it is for hours stays flat for minutes: memory and latency at a load that leaves room, one channel, old incidents deleted. */
export const title = 'soak: 1 kB alerts at 70 % of what is accepted and delivered in a closed loop'

interface Case {
  readonly capacitySeconds: number
  readonly warmUpSeconds: number
  readonly windows: number
  readonly windowSeconds: number
}

const SHARE = 0.7
const SECONDS_PER_HOUR = 3_600
const LOOK_MS = 1_000
/** Windows that a slope can be seen in. */
const ENOUGH = 20

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ capacitySeconds: 1, warmUpSeconds: 0, windows: 3, windowSeconds: 0.5 }]
  return [{ capacitySeconds: 10, warmUpSeconds: 30, windows: 60, windowSeconds: 10 }]
}

interface Window {
  /** Since the soak began, at the window's end. */
  readonly atSeconds: number
  readonly rssMb: number
  readonly answered: OpenLoopResult
  /** Milliseconds from the time an incident was to be posted to its delivery. */
  readonly delivered: Curve['points']
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

/** Incidents that are through, by the second, while so many requests are under way as a closed loop has. */
async function capacityOf(service: Server, sink: Server, seconds: number): Promise<number> {
  await resetSink(sink)
  const began = performance.now()
  const { accepted } = await postOpenLoop(service, { perSecond: 0, seconds })
  await untilReceived(sink, accepted)
  return accepted / ((performance.now() - began) / 1_000)
}

async function window(service: Server, sink: Server, pace: { readonly perSecond: number; readonly seconds: number }) {
  await Promise.all([resetSink(sink), askSink(sink, '/times')])
  const rss: number[] = []
  const watch = new AbortController()
  const watching = watchRss(service, rss, watch.signal)
  const answered = await postOpenLoop(service, pace)
  await untilReceived(sink, answered.accepted)
  watch.abort()
  await watching
  const { curve: delivered } = await askSink<{ curve: Curve['points'] }>(sink, '/times')
  return { rssMb: measure(rss, 0).median, answered, delivered }
}

async function watchRss(service: Server, found: number[], signal: AbortSignal): Promise<void> {
  do found.push(service.rssBytes() / 1e6)
  while (await pause(LOOK_MS, true, { signal }).catch(() => false))
}

function draw(course: readonly Window[], curve: TrialOptions['curve']): void {
  const over = (plot: string, name: string, figure: (window: Window) => number) =>
    curve({ plot, name, x: 'seconds', points: course.map((each) => [each.atSeconds, figure(each)]) })
  over('soak: resident memory, MB', 'memory', ({ rssMb }) => rssMb)
  over('soak: p99 ms from the time of each incident', 'answered', ({ answered }) => msAt(answered.curve, 99))
  over('soak: p99 ms from the time of each incident', 'delivered', ({ delivered }) => msAt(delivered, 99))
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
