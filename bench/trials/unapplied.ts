import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { payloadOf } from '../../test/harness/load/payload.ts'
import { SECRET } from '../../test/harness/net/requests.ts'
import { loadClosed } from '../load/closed-loop.ts'
import { type Questions, startQuestions } from '../load/questions.ts'
import { type CaseOptions, figure, measure, type Row, type Tables, type TrialOptions } from '../report.ts'
import { seedJournal } from '../seed/seed-journal.ts'
import { stats } from '../servers/admin.ts'
import type { Server } from '../servers/server.ts'
import { startService, startSink } from '../servers/start.ts'
import { alertConfigFor } from '../sinks/sink-client.ts'

/**
 * Incidents that are committed and not applied yet: what they cost those who ask, and a start. Posts beside the flood
 * (`answered`) tell how long any request waits for the front then.
 */
export const title = 'unapplied: details of incidents during a flood of 1 kB alerts, one channel'
const START_TITLE = 'unapplied: start with incidents that are committed and not applied'

type Case = Flood | Start
interface Flood {
  readonly kind: 'flood'
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
}
interface Start {
  readonly kind: 'start'
  readonly incidents: number
  readonly rounds: number
}

const QUESTIONS_PER_SECOND = 20
const MOST_P99_MS = 50
const MOST_READY_S = 3
const ROOM = 10_000_000
/** Time after `ready` in which applying is counted. */
const APPLYING_MS = 2_000

export function cases({ quick }: CaseOptions): Case[] {
  if (quick)
    return [
      { kind: 'flood', connections: 64, seconds: 1, rounds: 1 },
      { kind: 'start', incidents: 20_000, rounds: 1 },
    ]
  return [
    { kind: 'flood', connections: 256, seconds: 5, rounds: 5 },
    { kind: 'start', incidents: 1_000_000, rounds: 3 },
  ]
}

export async function run(options: TrialOptions, one: Case): Promise<Tables> {
  const sink = await startSink()
  try {
    return one.kind === 'flood'
      ? { [title]: [await floods(options, sink, one)] }
      : { [START_TITLE]: [await starts(options, sink, one)] }
  } finally {
    await sink.stop()
  }
}

interface Flooded {
  readonly perSecond: number
  readonly questions: Questions
}

/** The same flood without and with questions, in turn. */
async function floods({ scratch, progress }: TrialOptions, sink: Server, one: Flood): Promise<Row> {
  const bodyFile = join(scratch, 'unapplied.json')
  writeFileSync(bodyFile, JSON.stringify(payloadOf(1_000)))
  const alone: Flooded[] = []
  const asked: Flooded[] = []
  for (let round = 1; round <= one.rounds; round++) {
    progress(`flood, round ${round} of ${one.rounds}`)
    alone.push(await flooded(sink, one, { bodyFile, perSecond: 0 }))
    asked.push(await flooded(sink, one, { bodyFile, perSecond: QUESTIONS_PER_SECOND }))
  }
  const each = (pick: (questions: Questions) => number) => asked.map(({ questions }) => pick(questions))
  return {
    connections: one.connections,
    'accepted/s': figure(alone, 'perSecond', 0),
    'accepted/s, asked': figure(asked, 'perSecond', 0),
    'ratio asked': measure(
      asked.map(({ perSecond }, at) => perSecond / (alone[at]?.perSecond ?? Number.NaN)),
      2,
    ),
    'questions/s': QUESTIONS_PER_SECOND,
    'detail p50 ms': measure(
      each(({ latencies }) => latencies.at(50)),
      1,
    ),
    'detail p99 ms': measure(
      each(({ latencies }) => latencies.at(99)),
      1,
      { atMost: MOST_P99_MS },
    ),
    'answered p99 ms': measure(
      each(({ answered }) => answered.at(99)),
      1,
    ),
    'asked before applied': measure(
      each(({ latencies, unapplied }) => unapplied / latencies.count),
      2,
    ),
    'most unapplied': measure(
      each(({ mostUnapplied }) => mostUnapplied),
      0,
    ),
    failed: each(({ failed }) => failed).reduce((sum, failed) => sum + failed, 0),
  }
}

async function flooded(
  sink: Server,
  { connections, seconds }: Flood,
  { bodyFile, perSecond }: { readonly bodyFile: string; readonly perSecond: number },
): Promise<Flooded> {
  const service = await startService(await configFor(sink))
  try {
    const load = { url: `${service.url}/api/incidents`, bodyFile, connections }
    await loadClosed({ ...load, seconds: 1 })
    const questions = startQuestions(service, perSecond)
    const { perSecond: accepted } = await loadClosed({ ...load, seconds })
    return { perSecond: accepted, questions: await questions.stop() }
  } finally {
    process.kill(service.pid, 'SIGKILL')
    await service.stop()
  }
}

interface Started {
  readonly readySeconds: number
  readonly rssMb: number
  readonly appliedPerSecond: number
}

/** Each start is killed while it applies, so that nearly all incidents are left for the next one. */
async function starts({ scratch, progress }: TrialOptions, sink: Server, one: Start): Promise<Row> {
  const dataDir = join(scratch, `unapplied-${process.pid}`)
  progress(`committing ${one.incidents} incidents`)
  seedJournal(dataDir, one.incidents)
  const samples: Started[] = []
  for (let round = 1; round <= one.rounds; round++) {
    progress(`start ${round} of ${one.rounds}`)
    samples.push(await started(sink, dataDir))
  }
  rmSync(dataDir, { recursive: true })
  return {
    unapplied: one.incidents.toLocaleString('en'),
    'ready s': measure(
      samples.map(({ readySeconds }) => readySeconds),
      2,
      { atMost: MOST_READY_S },
    ),
    'memory MB': figure(samples, 'rssMb', 0),
    'applied/s': figure(samples, 'appliedPerSecond', 0),
  }
}

async function started(sink: Server, dataDir: string): Promise<Started> {
  const config = await configFor(sink, dataDir)
  const began = performance.now()
  const service = await startService(config)
  const readySeconds = (performance.now() - began) / 1_000
  try {
    const before = await unapplied(service)
    const since = performance.now()
    await pause(APPLYING_MS)
    const applied = before - (await unapplied(service))
    const appliedPerSecond = (applied * 1_000) / (performance.now() - since)
    return { readySeconds, appliedPerSecond, rssMb: service.rssBytes() / 1e6 }
  } finally {
    process.kill(service.pid, 'SIGKILL')
    await service.stop()
  }
}

const unapplied = async (service: Server) => (await stats(service)).storage?.unapplied ?? Number.NaN

async function configFor(sink: Server, dataDir?: string) {
  const limits = { max_incidents: ROOM, max_backlog: ROOM }
  const file = dataDir === undefined ? limits : { ...limits, data_dir: dataDir }
  return { gateway_secret: SECRET, alert: await alertConfigFor(sink, 1), storage: { file } }
}
