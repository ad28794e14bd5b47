import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Crowd, type Sent, startCrowd } from '../load/crowd.ts'
import { generator, type LoadResult, load } from '../load/load.ts'
import { startPacer } from '../load/pacer.ts'
import { type Server, startService } from '../load/server.ts'
import { groupedAlert } from '../payload.ts'
import { median, type Row, type TrialOptions } from '../report.ts'

/** What live-tail clients cost ingest: two services, one of them watched, loaded in turn. */
export const title = `tail: accepted incidents/s with and without live-tail clients, 64 connections (${generator})`

const SECRET = 'of-the-bench'
const CONNECTIONS = 64
const SLICE_SECONDS = 2
/** Incidents that are posted beside the load, with a severity of their own. */
const PACED_PER_SECOND = 500
const PACED_SEVERITY = 'page'

interface Case {
  readonly who: string
  readonly clients: number
  readonly wish: string
}
const CASES: readonly Case[] = [
  { who: '500 of the events a second', clients: 1_000, wish: `&kinds=incident&severity=${PACED_SEVERITY}` },
  { who: 'all events', clients: 1, wish: '&kinds=incident' },
]

interface Slice extends LoadResult {
  readonly cpuMicros: number
  readonly paced: number
}

export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const rounds = quick ? 3 : 12
  const bodyFile = join(tmpdir(), `tocsin-bench-body-${process.pid}.json`)
  writeFileSync(bodyFile, JSON.stringify(groupedAlert()))
  const rows: Row[] = []
  for (const each of CASES) {
    const [alone, watched] = [await startService(), await startService({ gateway_secret: SECRET })]
    const crowd = await startCrowd({ ...watched, secret: SECRET }, each.clients, each.wish)
    const slices: { readonly alone: Slice; readonly watched: Slice }[] = []
    try {
      for (let round = 0; round <= rounds; round++) {
        progress(`${each.clients} clients, round ${round} of ${rounds}`)
        slices.push({ alone: await slice(alone, bodyFile), watched: await slice(watched, bodyFile) })
      }
      const paced = slices.reduce((sum, pair) => sum + pair.watched.paced, 0)
      rows.push(row(each, slices.slice(1), { paced, ...(await allSent(crowd, paced)) }))
    } finally {
      await crowd.stop()
      await Promise.all([alone.stop(), watched.stop()])
    }
  }
  return rows
}

async function slice(server: Server, bodyFile: string): Promise<Slice> {
  const url = `http://127.0.0.1:${server.port}/api/incidents`
  const before = server.cpuSeconds()
  const pacer = startPacer(url, { perSecond: PACED_PER_SECOND, severity: PACED_SEVERITY })
  const result = await load({ url, bodyFile, connections: CONNECTIONS, seconds: SLICE_SECONDS })
  const paced = await pacer.stop()
  const cpuMicros = ((server.cpuSeconds() - before) / (result.perSecond * SLICE_SECONDS)) * 1e6
  return { ...result, paced, cpuMicros }
}

/** When every client has been sent so many, or 5 s have passed. */
async function allSent(crowd: Crowd, count: number): Promise<Sent> {
  let sent = await crowd.sent()
  for (let n = 0; sent.least < count && n < 50; n++) {
    await pause(100)
    sent = await crowd.sent()
  }
  return sent
}

type Pairs = readonly { readonly alone: Slice; readonly watched: Slice }[]

function row({ who, clients }: Case, pairs: Pairs, told: Sent & { readonly paced: number }): Row {
  const of = (which: 'alone' | 'watched', figure: 'perSecond' | 'p99Ms' | 'cpuMicros') =>
    median(pairs.map((pair) => pair[which][figure]))
  const ratios = pairs.map(({ alone, watched }) => watched.perSecond / alone.perSecond)
  return {
    clients,
    watch: who,
    'watched/s': Math.round(of('watched', 'perSecond')),
    'alone/s': Math.round(of('alone', 'perSecond')),
    'ratio (median of rounds)': Number(median(ratios).toFixed(3)),
    'ratio per round': ratios.map((ratio) => ratio.toFixed(2)).join(' '),
    'p99 ms': Number(of('watched', 'p99Ms').toFixed(1)),
    'p99 ms alone': Number(of('alone', 'p99Ms').toFixed(1)),
    'CPU us/incident': Number(of('watched', 'cpuMicros').toFixed(1)),
    'CPU us alone': Number(of('alone', 'cpuMicros').toFixed(1)),
    'paced events': told.paced,
    'sent to each client': told.least === told.most ? told.least : `${told.least} to ${told.most}`,
    'told of gaps': told.missed,
  }
}
