import { setTimeout as pause } from 'node:timers/promises'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { Latencies } from '../../test/harness/load/latencies.ts'
import { groupedAlert } from '../../test/harness/load/payload.ts'
import { type CaseOptions, measure, type Row, type TrialOptions } from '../report.ts'
import type { Server } from '../servers/server.ts'
import { startService } from '../servers/start.ts'

const A_REQUEST = 100

export const title = 'oncall: memory of armed timers, and how late their pages arrive'

interface Case {
  readonly timers: number
  readonly rounds: number
  /** Time to post all incidents before the first page is due. */
  readonly armingMs: number
  /** Time over which the pages are due, evenly; 0: all at one moment. */
  readonly spreadMs: readonly number[]
  /** Time after which the service has applied its journal. */
  readonly settledMs: number
}

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ timers: 1_000, rounds: 1, armingMs: 1_000, spreadMs: [0], settledMs: 300 }]
  return [{ timers: 10_000, rounds: 2, armingMs: 6_000, spreadMs: [5_000, 0], settledMs: 2_500 }]
}

interface Fired {
  readonly rssBytes: number
  /** From the time at which a page was due to its arrival. */
  readonly late: Latencies
}

/** Posts the same incidents without and with timers, each time to a fresh process. */
export async function run({ progress, curve }: TrialOptions, one: Case): Promise<Row[]> {
  const control: number[] = []
  const fired = one.spreadMs.map((spreadMs) => ({ spreadMs, samples: [] as Fired[] }))
  for (let round = 1; round <= one.rounds; round++) {
    progress(`round ${round} of ${one.rounds}: without timers`)
    control.push(
      await withService((server) => grown(server, one.settledMs, () => postAll(server, one.timers, UNARMED))),
    )
    for (const { spreadMs, samples } of fired) {
      progress(`round ${round} of ${one.rounds}: ${due(spreadMs)}`)
      samples.push(await withService((server, hook) => fire(server, hook, { ...one, spreadMs })))
    }
  }
  for (const { spreadMs, samples } of fired) {
    curve({
      plot: 'oncall: lateness of pages',
      name: due(spreadMs),
      x: 'percentile',
      points: samples.at(-1)?.late.curve() ?? [],
    })
  }
  return fired.map(({ spreadMs, samples }) => row(due(spreadMs), samples, control))
}

const UNARMED = 'oncall_enable=false'
const due = (spreadMs: number) => (spreadMs === 0 ? 'at one moment' : `within ${spreadMs / 1_000} s`)

function row(when: string, samples: readonly Fired[], control: readonly number[]): Row {
  const late = (percentile: number) =>
    measure(
      samples.map(({ late }) => late.at(percentile)),
      0,
    )
  return {
    due: when,
    pages: samples[0]?.late.count ?? 0,
    'MB without timers': measure(control.map(megabytes), 1),
    'MB with timers': measure(
      samples.map(({ rssBytes }) => megabytes(rssBytes)),
      1,
    ),
    'late ms p50': late(50),
    'late ms p99': late(99),
    'late ms max': late(100),
  }
}
const megabytes = (bytes: number) => bytes / 2 ** 20

async function withService<T>(work: (server: Server, hook: Provider) => Promise<T>): Promise<T> {
  const hook = await startProvider('webhook')
  const server = await startService({
    oncall: { enable: true, wait_minutes: 60, provider: 'webhook', webhook: { url: hook.url } },
  })
  try {
    return await work(server, hook)
  } finally {
    await server.stop()
    await hook.close()
  }
}

/** Arms all timers and waits for the last page. */
async function fire(
  server: Server,
  hook: Provider,
  { timers, armingMs, settledMs, spreadMs }: Omit<Case, 'spreadMs'> & { readonly spreadMs: number },
): Promise<Fired> {
  const late = new Latencies()
  const all = Promise.withResolvers<void>()
  hook.script = ({ json }) => {
    late.add(Date.now() - Date.parse((json as { due_at: string }).due_at))
    if (late.count === timers) all.resolve()
    return undefined
  }
  const firstAt = Date.now() + armingMs
  const query = (share: number) =>
    `oncall_wait_minutes=${((firstAt + share * spreadMs - Date.now()) / 60_000).toFixed(6)}`
  const rssBytes = await grown(server, settledMs, () => postAll(server, timers, query))
  await all.promise
  return { rssBytes, late }
}

async function postAll({ port }: Server, timers: number, query: string | ((share: number) => string)): Promise<void> {
  const body = JSON.stringify(Array.from({ length: A_REQUEST }, () => groupedAlert()))
  for (let posted = 0; posted < timers; posted += A_REQUEST) {
    const asked = typeof query === 'string' ? query : query(posted / timers)
    const answer = await fetch(`http://127.0.0.1:${port}/api/incidents?${asked}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
}

/** Growth of the service's memory by the work, at rest before and after. */
async function grown(server: Server, settledMs: number, work: () => Promise<void>): Promise<number> {
  await pause(settledMs)
  const before = server.rssBytes()
  await work()
  await pause(settledMs)
  return server.rssBytes() - before
}
