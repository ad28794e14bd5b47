import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { Latencies } from '../../test/harness/load/latencies.ts'
import { alertAt } from '../../test/harness/noise/alerts.ts'
import { type Told, toldTimes } from '../../test/harness/noise/told-times.ts'
import { CHAT_LIMITS, ChatLimiter, type Limit } from '../../test/harness/stand-ins/limit.ts'
import { until } from '../../test/harness/until.ts'
import { watchRss } from '../../test/harness/watch/memory.ts'
import { type Posted, postEvenly } from '../load/post-evenly.ts'
import { measure, type Row } from '../report.ts'
import type { Server } from '../servers/server.ts'
import { startService } from '../servers/start.ts'
import type { Scenario } from './scenarios.ts'
import { watchTelling } from './telling.ts'

interface RunOptions {
  /** Folder for the data. */
  readonly scratch: string
  /** Ends when everything is told, without waiting for the summary. */
  readonly short: boolean
}

const LIMITS: { readonly [channel in Scenario['channel']]: Limit | undefined } = {
  ...CHAT_LIMITS,
  messenger: { perSecond: 1, burst: 4 },
  email: undefined,
}
const OUTAGE_FROM_MS = 10_000
/** A circuit that is open asks again after this time at the latest. */
const MOST_OPEN_MS = 120_000
const RSS_MS = 1_000
/** Incidents that stay on disk until the end; each of them is looked up. */
const MAX_LOOKED_UP = 100_000

/** Posts the alerts of one scenario to a service of its own, and returns what its provider and its ledger say. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Row> {
  const { limit = LIMITS[scenario.channel] } = scenario
  const provider = await startProvider(scenario.channel, limit && { limiter: new ChatLimiter(limit) })
  try {
    return await runWith(provider, scenario, options)
  } finally {
    await provider.close()
  }
}

async function runWith(provider: Provider, scenario: Scenario, { scratch, short }: RunOptions): Promise<Row> {
  const { name, channel, count, seconds, backlog } = scenario
  if (scenario.digests === 'off') return runWithoutDigests(provider, scenario, scratch)
  const dataDir = join(scratch, `${channel} ${name}`)
  const load = { count, seconds, payloadOf: (nth: number) => alertAt(nth, scenario) }
  const start = (storm: boolean) => startService(configOf(scenario, provider, { dataDir, storm }))
  const waiting = backlog ? await leaveBacklog(provider, () => start(false), load) : undefined
  const service = await start(true)
  const readyAt = Date.now()
  const telling = watchTelling(provider, backlog ? { count, seconds: 0 } : scenario)
  const rss = watchRss(service.pid, RSS_MS)
  try {
    const recovery = recoveryOf(scenario, provider)
    const { accepted, refused } = waiting ?? (await postEvenly(service.url, load))
    const recoveredAt = await recovery
    await telling.untilTold(accepted)
    const recoveredMs = Date.now() - recoveredAt
    if (!short) await telling.untilOver()
    const samples = rss.stop()
    await service.stop()
    const ledger = count > MAX_LOOKED_UP ? undefined : ledgerOf(dataDir, backlog ? readyAt : 0)
    const { account, worstAgeMs } = telling.stop()
    return {
      scenario: name,
      channel,
      incidents: count,
      refused: measure([refused], 0, NONE),
      posts: measure([provider.posts], 0, { atMost: scenario.goals.posts }),
      edits: measure([provider.edits], 0, atMost(scenario.goals.edits)),
      ...timesOf(scenario, ledger, { worstAgeMs, recoveredMs }),
      lost: measure(
        [accepted - (ledger?.filter(({ afterMs }) => afterMs !== undefined).length ?? account.told)],
        0,
        NONE,
      ),
      miscounted: measure([Math.abs(accepted - account.told) + account.faults.length], 0, NONE),
      'refused by the provider': provider.limited,
      'memory MB': megabytes(Math.max(...samples) - (samples[0] ?? 0)),
      ...growthOf(scenario, samples),
    }
  } finally {
    rss.stop()
    telling.stop()
    await service.stop()
  }
}

/** Posts until the quota is full of messages that wait for their turn. */
async function runWithoutDigests(provider: Provider, scenario: Scenario, scratch: string): Promise<Row> {
  const { name, channel, count, seconds, goals } = scenario
  const dataDir = join(scratch, `${channel} ${name}`)
  const service = await startService(configOf(scenario, provider, { dataDir, storm: false }))
  try {
    const load = { count, seconds, payloadOf: (nth: number) => alertAt(nth, scenario) }
    const { refused, refusedAfterSeconds } = await postEvenly(service.url, load)
    return {
      scenario: name,
      channel,
      incidents: count,
      refused: measure([refused], 0, { atLeast: 1 }),
      posts: measure([provider.posts], 0, { atMost: goals.posts }),
      ...(refusedAfterSeconds !== undefined && {
        'refused after s': measure([refusedAfterSeconds], 1, atMost(goals.refusedSeconds)),
      }),
    }
  } finally {
    await service.stop()
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20)

/** Compares the halves of the samples that were taken while alerts were posted. */
function growthOf({ seconds, goals }: Scenario, samples: readonly number[]): Row {
  if (goals.growthMb === undefined) return {}
  const half = Math.floor((seconds * 1_000) / RSS_MS / 2)
  const [first, second] = [samples.slice(0, half), samples.slice(half, 2 * half)].map((part) => Math.max(...part))
  return { 'growth MB': measure([megabytes((second ?? 0) - (first ?? 0))], 0, atMost(goals.growthMb)) }
}

const NONE = { atMost: 0 }
const atMost = (bound: number | undefined) => (bound === undefined ? undefined : { atMost: bound })

function timesOf(
  { goals, outageSeconds }: Scenario,
  ledger: readonly Told[] | undefined,
  { worstAgeMs, recoveredMs }: { readonly worstAgeMs: number; readonly recoveredMs: number },
): Row {
  if (outageSeconds !== undefined)
    return { 'all after the outage s': measure([recoveredMs / 1_000], 1, atMost(goals.recoveredSeconds)) }
  if (ledger === undefined) return { 'all max s': measure([worstAgeMs / 1_000], 1, atMost(goals.allSeconds)) }
  const critical = latenciesOf(ledger.filter(({ severity }) => severity === 'critical'))
  const all = latenciesOf(ledger)
  return {
    ...(critical.count > 0 && {
      'critical p50 s': measure([critical.at(50) / 1_000], 1),
      'critical max s': measure([critical.at(100) / 1_000], 1, atMost(goals.criticalSeconds)),
    }),
    'all p50 s': measure([all.at(50) / 1_000], 1),
    'all max s': measure([all.at(100) / 1_000], 1, atMost(goals.allSeconds)),
  }
}

function latenciesOf(told: readonly Told[]): Latencies {
  const latencies = new Latencies()
  for (const { afterMs } of told) if (afterMs !== undefined) latencies.add(afterMs)
  return latencies
}

interface DataOptions {
  readonly dataDir: string
  /** Storm digests are on. */
  readonly storm: boolean
}

function configOf({ channel, count, settings }: Scenario, { url, port }: Provider, { dataDir, storm }: DataOptions) {
  const keys = {
    chatws: { token: 'xoxb-bench', channel_id: 'C1', api_url: url },
    msgapp: { token: '1:bench', channel_id: '-1', api_url: url },
    messenger: { token: 'bench', channel_id: '1', api_url: url },
    email: { smtp_host: '127.0.0.1', smtp_port: port, tls: 'none', from: 'a@example.net', to: 'b@example.net' },
  }
  return {
    alert: { [channel]: { enable: true, ...keys[channel], ...settings }, console: { enable: false } },
    noise: { storm: { enable: storm } },
    storage: { file: { data_dir: dataDir, ...(count <= MAX_LOOKED_UP && { max_incidents: MAX_LOOKED_UP }) } },
  }
}

/** Fills the outbox while the provider is unreachable and digests are off. */
async function leaveBacklog(
  provider: Provider,
  start: () => Promise<Server>,
  load: Parameters<typeof postEvenly>[1],
): Promise<Posted> {
  await provider.down()
  const service = await start()
  const posted = await postEvenly(service.url, load)
  await service.stop()
  await provider.up()
  return posted
}

/** Makes the outage of the scenario. Resolves with the time of the first success after it, epoch milliseconds. */
async function recoveryOf({ outageSeconds }: Scenario, provider: Provider): Promise<number> {
  if (outageSeconds === undefined) return Date.now()
  await pause(OUTAGE_FROM_MS)
  await provider.down()
  await pause(outageSeconds * 1_000)
  const before = provider.taken.length
  await provider.up()
  await until(
    () => provider.taken.length,
    (taken) => taken > before,
    { deadlineMs: OUTAGE_FROM_MS + MOST_OPEN_MS },
  )
  return Date.now()
}

/** `after`: time before which nobody could have been told, epoch milliseconds. */
function ledgerOf(dataDir: string, after: number): readonly Told[] {
  const db = new DatabaseSync(join(dataDir, 'tocsin.db'), { readOnly: true })
  try {
    return toldTimes(db, after)
  } finally {
    db.close()
  }
}
