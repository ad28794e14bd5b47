import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { type Server, startService } from '../load/server.ts'
import { groupedAlert } from '../payload.ts'
import type { Row, TrialOptions } from '../report.ts'

const TIMERS = 10_000
const A_REQUEST = 100
/** For posting all of them before the first is due. */
const ARMING_MS = 15_000
/** After which the service has written down what it had in memory. */
const SETTLED_MS = 2_500

export const title = `oncall: ${TIMERS.toLocaleString('en')} armed timers: what they cost, and how late their pages reach the provider`

interface Fired {
  readonly rssBytes: number
  /** Of each page, from its time to its arrival, sorted. */
  readonly lateMs: readonly number[]
}

/** The same incidents without timers, with timers that run out one after the other, and with timers of one moment; each in a fresh process. */
export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const rows: Row[] = []
  for (let round = 1; round <= (quick ? 1 : 3); round++) {
    progress(`round ${round}: without timers`)
    const control = await withService((server) => grown(server, () => postAll(server, 'oncall_enable=false')))
    for (const [due, spreadMs] of [
      ['within 10 s', 10_000],
      ['at one moment', 0],
    ] as const) {
      progress(`round ${round}: due ${due}`)
      rows.push(row(due, await withService((server, hook) => fire(server, hook, spreadMs)), control))
    }
  }
  return rows
}

function row(due: string, { rssBytes, lateMs }: Fired, control: number): Row {
  const at = (share: number) => Math.round(lateMs[Math.floor((lateMs.length - 1) * share)] ?? Number.NaN)
  return {
    due,
    pages: lateMs.length,
    'MB without timers': megabytes(control),
    'MB with timers': megabytes(rssBytes),
    'late ms p50': at(0.5),
    'late ms p99': at(0.99),
    'late ms max': at(1),
  }
}
const megabytes = (bytes: number) => Number((bytes / 2 ** 20).toFixed(1))

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

/** Arms all timers, then waits for the last page. */
async function fire(server: Server, hook: Provider, spreadMs: number): Promise<Fired> {
  const lateMs: number[] = []
  const all = Promise.withResolvers<void>()
  hook.script = ({ json }) => {
    lateMs.push(Date.now() - Date.parse((json as { due_at: string }).due_at))
    if (lateMs.length === TIMERS) all.resolve()
    return undefined
  }
  const firstAt = Date.now() + ARMING_MS
  const query = (share: number) =>
    `oncall_wait_minutes=${((firstAt + share * spreadMs - Date.now()) / 60_000).toFixed(6)}`
  const rssBytes = await grown(server, () => postAll(server, query))
  await all.promise
  return { rssBytes, lateMs: lateMs.sort((a, b) => a - b) }
}

async function postAll({ port }: Server, query: string | ((share: number) => string)): Promise<void> {
  const body = JSON.stringify(Array.from({ length: A_REQUEST }, () => groupedAlert()))
  for (let posted = 0; posted < TIMERS; posted += A_REQUEST) {
    const asked = typeof query === 'string' ? query : query(posted / TIMERS)
    const answer = await fetch(`http://127.0.0.1:${port}/api/incidents?${asked}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
}

/** By how much the work lets the service's memory grow, once it has come to rest. */
async function grown(server: Server, work: () => Promise<void>): Promise<number> {
  await pause(SETTLED_MS)
  const before = rss(server)
  await work()
  await pause(SETTLED_MS)
  return rss(server) - before
}

function rss({ pid }: Server): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) * 1_024
}
