import { postOpenLoop } from '../../test/harness/load/open-loop.ts'
import { SECRET } from '../../test/harness/net/requests.ts'
import { handOuts } from '../load/hand-outs.ts'
import { type CaseOptions, figure, type Goal, measure, type Row, type TrialOptions } from '../report.ts'
import type { Server } from '../servers/server.ts'
import { startService, startSink } from '../servers/start.ts'
import { alertConfigFor, resetSink, untilReceived } from '../sinks/sink-client.ts'

/**
 * Time from the commit of an incident to the moment at which storage hands its delivery to the sender, by the ledger:
 * `handed_out_at` less `committed_at` of the first attempt, both in whole milliseconds.
 */
export const title = 'handout: milliseconds from commit to hand-out at a fixed rate, one channel'

interface Case {
  readonly perSecond: number
  readonly seconds: number
  readonly rounds: number
  readonly goals: boolean
}
interface Sample {
  readonly incidents: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const WARM_UP_SECONDS = 1
const MOST_P50_MS = 5
const MOST_P99_MS = 30
const ROOM = 1_000_000

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ perSecond: 500, seconds: 1, rounds: 1, goals: true }]
  return [500, 2_000].map((perSecond) => ({ perSecond, seconds: 4, rounds: 5, goals: perSecond === 500 }))
}

export async function run({ progress }: TrialOptions, one: Case): Promise<Row[]> {
  const { perSecond, rounds } = one
  const sink = await startSink()
  const samples: Sample[] = []
  try {
    for (let round = 1; round <= rounds; round++) {
      progress(`${perSecond}/s, round ${round} of ${rounds}`)
      samples.push(await sample(sink, one))
    }
  } finally {
    await sink.stop()
  }
  const goal = (atMost: number): Goal | undefined => (one.goals ? { atMost } : undefined)
  const bounded = (name: 'p50' | 'p99', atMost: number) =>
    measure(
      samples.map((each) => each[name]),
      0,
      goal(atMost),
    )
  return [
    {
      'offered/s': perSecond,
      incidents: samples.reduce((sum, { incidents }) => sum + incidents, 0),
      'p50 ms': bounded('p50', MOST_P50_MS),
      'p99 ms': bounded('p99', MOST_P99_MS),
      'max ms': figure(samples, 'max', 0),
    },
  ]
}

async function sample(sink: Server, { perSecond, seconds }: Case): Promise<Sample> {
  const storage = { file: { max_incidents: ROOM, max_backlog: ROOM } }
  const alert = await alertConfigFor(sink, 1)
  const service = await startService({ gateway_secret: SECRET, alert, storage })
  try {
    await delivered(service, sink, { perSecond, seconds: WARM_UP_SECONDS })
    const accepted = await delivered(service, sink, { perSecond, seconds })
    const latencies = await handOuts(service, accepted)
    return { incidents: accepted, p50: latencies.at(50), p99: latencies.at(99), max: latencies.at(100) }
  } finally {
    await service.stop()
  }
}

/** Resolves with the number of incidents when all have arrived at the sink. */
async function delivered(service: Server, sink: Server, pace: { perSecond: number; seconds: number }): Promise<number> {
  await resetSink(sink)
  const { accepted } = await postOpenLoop(service.url, pace)
  await untilReceived(sink, accepted)
  return accepted
}
