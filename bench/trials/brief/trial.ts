import type { IncidentPage } from '../../../src/api/incident.ts'
import { Latencies } from '../../../test/harness/load/latencies.ts'
import { SECRET } from '../../../test/harness/net/requests.ts'
import { handOuts } from '../../load/hand-outs.ts'
import { postEvenly } from '../../load/post-evenly.ts'
import { type CaseOptions, measure, type Row, type TrialOptions } from '../../report.ts'
import { askAdmin } from '../../servers/admin.ts'
import type { Server } from '../../servers/server.ts'
import { startService, startSink } from '../../servers/start.ts'
import { alertConfigFor } from '../../sinks/sink-client.ts'
import { alertOf } from './payloads.ts'
import { type HistorySize, seedHistory } from './seed.ts'

/** A brief is asked for at its time, even if earlier ones are late. Both halves of a ratio are of one round. */
export const title =
  'brief: milliseconds of a brief while incidents come in, and of those incidents with and without briefs'

interface Case extends HistorySize {
  readonly seconds: number
  readonly rounds: number
  /** Incidents at the end of a load of which the ledger is read. */
  readonly ledger: number
}

const PER_SECOND = 500
const BRIEFS_PER_SECOND = 2
const MOST = { p50: 60, p99: 200, ratio: 1.05 }
const ROOM = 1_000_000

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ openings: 1_000, problems: 250, incidents: 1_000, seconds: 1, rounds: 1, ledger: 50 }]
  return [{ openings: 250_000, problems: 50_000, incidents: 100_000, seconds: 60, rounds: 3, ledger: 1_000 }]
}

interface Sample {
  readonly briefs: Latencies
  readonly bytes: number
  readonly late: number
  readonly handedOutP99: number
  readonly storeCpu: number
}

export async function run({ scratch, progress }: TrialOptions, one: Case): Promise<Row[]> {
  const dataDir = seedHistory(scratch, one, progress)
  const sink = await startSink()
  const rounds: { readonly alone: Sample; readonly asked: Sample }[] = []
  try {
    for (let round = 1; round <= one.rounds; round++) {
      progress(`round ${round} of ${one.rounds}`)
      const alone = await sampled(sink, { ...one, dataDir, briefsPerSecond: 0 })
      rounds.push({ alone, asked: await sampled(sink, { ...one, dataDir, briefsPerSecond: BRIEFS_PER_SECOND }) })
    }
  } finally {
    await sink.stop()
  }
  const figure = (digits: number, of: (round: (typeof rounds)[number]) => number, atMost?: number) =>
    measure(rounds.map(of), digits, atMost === undefined ? undefined : { atMost })
  return [
    {
      openings: one.openings,
      'incidents/s': PER_SECOND,
      'briefs/s': BRIEFS_PER_SECOND,
      'brief p50 ms': figure(1, ({ asked }) => asked.briefs.at(50), MOST.p50),
      'brief p99 ms': figure(1, ({ asked }) => asked.briefs.at(99), MOST.p99),
      'with late sections': figure(0, ({ asked }) => asked.late),
      'largest kB': figure(1, ({ asked }) => asked.bytes / 1_000),
      'hand-out p99 ms without': figure(1, ({ alone }) => alone.handedOutP99),
      'with briefs': figure(1, ({ asked }) => asked.handedOutP99),
      ratio: figure(2, ({ alone, asked }) => asked.handedOutP99 / alone.handedOutP99, MOST.ratio),
      'store CPU %, without': figure(1, ({ alone }) => alone.storeCpu),
      'store CPU %, with briefs': figure(1, ({ asked }) => asked.storeCpu),
    },
  ]
}

type Load = Case & { readonly dataDir: string; readonly briefsPerSecond: number }

async function sampled(sink: Server, one: Load): Promise<Sample> {
  const file = { data_dir: one.dataDir, max_incidents: one.incidents, max_backlog: ROOM }
  const brief = { enable: true, openings: one.openings }
  const alert = await alertConfigFor(sink, 1)
  const service = await startService({ gateway_secret: SECRET, alert, storage: { file }, brief })
  try {
    const payloadOf = (nth: number) => alertOf((nth * 7_919) % one.problems, 'firing')
    const post = (seconds: number) => postEvenly(service.url, { count: PER_SECOND * seconds, seconds, payloadOf })
    // Words are read, memory is filled, and code is compiled.
    const warm = startBriefs(service, one.briefsPerSecond)
    await post(Math.ceil(one.seconds / 4))
    await warm.stop()
    const cpu = service.cpuSecondsByThread().store ?? Number.NaN
    const began = performance.now()
    const asking = startBriefs(service, one.briefsPerSecond)
    await post(one.seconds)
    const storeCpu =
      (((service.cpuSecondsByThread().store ?? Number.NaN) - cpu) / (performance.now() - began)) * 100_000
    const asked = await asking.stop()
    const handedOut = await handOuts(service, one.ledger)
    return { ...asked, storeCpu, handedOutP99: handedOut.at(99) }
  } finally {
    await service.stop()
  }
}

/** Asks for the brief of the newest incident at a fixed rate, until `stop`. */
function startBriefs(service: Server, perSecond: number) {
  const briefs = new Latencies()
  const asked: Promise<void>[] = []
  let [bytes, late] = [0, 0]

  async function ask(): Promise<void> {
    const { incidents } = await askAdmin<IncidentPage>(service, '/incidents?limit=1')
    const began = performance.now()
    const brief = await askAdmin<{ readonly late: readonly string[] }>(service, `/problems/${incidents[0]?.id}/brief`)
    briefs.add(performance.now() - began)
    bytes = Math.max(bytes, Buffer.byteLength(JSON.stringify(brief)))
    late += Number(brief.late.length > 0)
  }

  const timer = perSecond > 0 ? setInterval(() => asked.push(ask()), 1_000 / perSecond) : undefined
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(asked)
      return { briefs, bytes, late }
    },
  }
}
