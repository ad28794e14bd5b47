import { type LatencyCurve, msAt } from '../../test/harness/load/latencies.ts'
import { postOpenLoop } from '../../test/harness/load/open-loop.ts'
import type { CaseOptions, Row, TrialOptions } from '../report.ts'
import type { Server } from '../servers/server.ts'
import { startService, startSink } from '../servers/start.ts'
import { alertConfigFor, askSink, resetSink, untilReceived } from '../sinks/sink-client.ts'

/**
 * Open loop: each incident is due at its own time, and its latency counts from there even when it could not be posted
 * then, so that a stall counts for all incidents that were due meanwhile (no coordinated omission). `answered` is the
 * 201, after the fsync; `delivered` is the arrival at the sink.
 */
export const title = 'latency: milliseconds from the time each 1 kB alert was due, at fixed rates, one channel'

interface Case {
  readonly perSecond: number
  readonly seconds: number
}

const WARM_UP = { perSecond: 1_000, seconds: 2 }
const SHOWN = [50, 90, 99, 99.9, 100]

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ perSecond: 1_000, seconds: 1.5 }]
  return [500, 2_000, 4_000, 8_000].map((perSecond) => ({ perSecond, seconds: 6 }))
}

export async function run({ quick, progress, curve }: TrialOptions, one: Case): Promise<Row[]> {
  const { perSecond } = one
  progress(`${perSecond}/s`)
  const sink = await startSink()
  const timed = await alertConfigFor(sink, 1, 'timed')
  const service = await startService({ alert: timed })
  try {
    await measured(service, sink, quick ? { ...WARM_UP, seconds: 0.5 } : WARM_UP)
    const { answered, delivered, accepted, refused, seconds } = await measured(service, sink, one)
    const plot = `latency: from the due time of each incident, open loop`
    curve({ plot, name: `${perSecond}/s answered`, x: 'percentile', points: answered })
    curve({ plot, name: `${perSecond}/s delivered`, x: 'percentile', points: delivered })
    const offered = { 'offered/s': perSecond, 'answered/s': Math.round(accepted / seconds), refused }
    return [{ ...offered, ...shown('answered', answered), ...shown('delivered', delivered) }]
  } finally {
    await service.stop()
    await sink.stop()
  }
}

async function measured(service: Server, sink: Server, pace: Case) {
  await resetSink(sink)
  await askSink(sink, '/times')
  const { curve: answered, ...openLoop } = await postOpenLoop(service.url, pace)
  await untilReceived(sink, openLoop.accepted)
  const { curve: delivered, count } = await askSink<{ count: number; curve: LatencyCurve }>(sink, '/times')
  if (count < openLoop.accepted) throw new Error(`${count} of ${openLoop.accepted} messages told their time`)
  return { ...openLoop, answered, delivered }
}

function shown(what: string, points: LatencyCurve): Row {
  const cells = SHOWN.map((at) => [`${what} ${at === 100 ? 'max' : `p${at}`}`, Number(msAt(points, at).toFixed(1))])
  return Object.fromEntries(cells)
}
