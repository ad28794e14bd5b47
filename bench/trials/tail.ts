import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { groupedAlert } from '../../test/harness/load/payload.ts'
import { SECRET } from '../../test/harness/net/requests.ts'
import { generator, type LoadRequest, type LoadResult, loadClosed } from '../load/closed-loop.ts'
import { type CpuUsage, startCpuUsage } from '../load/cpu-usage.ts'
import { startPacer } from '../load/pacer.ts'
import { type CaseOptions, measure, type Row, type TrialOptions } from '../report.ts'
import type { Server } from '../servers/server.ts'
import { startService } from '../servers/start.ts'
import { startTailClients, type TailClients, type TailCounts } from '../tail/tail-clients.ts'

/** Cost of live-tail clients for ingest: two services, one of them with clients, are loaded in turn. */
export const title = `tail: accepted incidents/s with and without live-tail clients, 64 connections (${generator})`

const CONNECTIONS = 64
/** Incidents posted beside the load, with a severity of their own to filter by. */
const PACED_PER_SECOND = 500
const PACED_SEVERITY = 'page'

interface Case {
  /** Shown in the table. */
  readonly watched: string
  readonly clients: number
  readonly filterQuery: string
  readonly rounds: number
  readonly seconds: number
}
const SOME = {
  watched: `${PACED_PER_SECOND} events a second`,
  filterQuery: `&kinds=incident&severity=${PACED_SEVERITY}`,
}
const ALL = { watched: 'all events', filterQuery: '&kinds=incident' }

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ ...SOME, clients: 100, rounds: 1, seconds: 1 }]
  const long = { rounds: 5, seconds: 1 }
  return [
    { ...ALL, ...long, clients: 1 },
    { ...SOME, ...long, clients: 100 },
    { ...SOME, ...long, clients: 1_000 },
  ]
}

interface Slice extends LoadResult, CpuUsage {
  readonly paced: number
}

export async function run({ quick, scratch, progress }: TrialOptions, one: Case): Promise<Row[]> {
  const { clients, filterQuery: query, rounds, seconds } = one
  const bodyFile = join(scratch, 'tail.json')
  writeFileSync(bodyFile, JSON.stringify(groupedAlert()))
  const [alone, watched] = await Promise.all([startService(), startService({ gateway_secret: SECRET })])
  const tailClients = await startTailClients({ url: watched.url, secret: SECRET, query }, clients)
  const slices: { readonly alone: Slice; readonly watched: Slice }[] = []
  const warmUp = quick ? 0 : 1
  const load = { bodyFile, seconds }
  try {
    for (let round = 1 - warmUp; round <= rounds; round++) {
      progress(`${clients} clients, round ${round} of ${rounds}`)
      slices.push({ alone: await slice(alone, load), watched: await slice(watched, load) })
    }
    const paced = slices.reduce((sum, pair) => sum + pair.watched.paced, 0)
    return [row(one, slices.slice(warmUp), { paced, ...(await allSent(tailClients, paced)) })]
  } finally {
    await tailClients.stop()
    await Promise.all([alone.stop(), watched.stop()])
  }
}

async function slice(server: Server, request: Pick<LoadRequest, 'bodyFile' | 'seconds'>): Promise<Slice> {
  const cpuUsage = startCpuUsage(server)
  const pacer = startPacer(server.url, { perSecond: PACED_PER_SECOND, severity: PACED_SEVERITY })
  const result = await loadClosed({ ...request, url: `${server.url}/api/incidents`, connections: CONNECTIONS })
  const paced = await pacer.stop()
  return { ...result, ...cpuUsage(result.perSecond * request.seconds), paced }
}

/** Resolves when every client has received `count` events, or after 5 s. */
async function allSent(tailClients: TailClients, count: number): Promise<TailCounts> {
  let sent = await tailClients.counts()
  for (let n = 0; sent.least < count && n < 50; n++) {
    await pause(100)
    sent = await tailClients.counts()
  }
  return sent
}

type Pairs = readonly { readonly alone: Slice; readonly watched: Slice }[]

function row({ watched, clients }: Case, pairs: Pairs, received: TailCounts & { readonly paced: number }): Row {
  const of = (which: 'alone' | 'watched', figure: 'perSecond' | 'p99Ms' | 'cpuMicros', digits: number) =>
    measure(
      pairs.map((pair) => pair[which][figure]),
      digits,
    )
  return {
    clients,
    watch: watched,
    'accepted/s, watched': of('watched', 'perSecond', 0),
    'accepted/s, alone': of('alone', 'perSecond', 0),
    ratio: measure(
      pairs.map(({ alone, watched }) => watched.perSecond / alone.perSecond),
      2,
    ),
    'p99 ms': of('watched', 'p99Ms', 1),
    'p99 ms alone': of('alone', 'p99Ms', 1),
    'CPU us/incident': of('watched', 'cpuMicros', 1),
    'CPU us alone': of('alone', 'cpuMicros', 1),
    'paced events': received.paced,
    'sent to each client': received.least === received.most ? received.least : `${received.least} to ${received.most}`,
    'gaps reported': received.missed,
  }
}
