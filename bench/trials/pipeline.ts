import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { postAll, postEvenly } from '../load/post.ts'
import { type Server, startService, startSink } from '../load/server.ts'
import { groupedAlert } from '../payload.ts'
import { median, type Row, type TrialOptions } from '../report.ts'

/** Delivered incidents per second against a bare undici loop with bodies of the same size, in turn; then how long one takes at a fixed rate. */
export const title = 'pipeline: 1 kB grouped alerts, accepted, rendered and delivered to local sinks'

const CONCURRENCY = 64
/** A service is up for weeks: what it does at first is no matter. */
const WARM_UP = 10_000
const FAST = { enable: true, concurrency: CONCURRENCY, rate: { per_second: 1_000_000, burst: 1_000_000 } }
const CHANNELS = ['officechat', 'chatws', 'msgapp'] as const
const LOOP = fileURLToPath(new URL('../baselines/undici-loop.ts', import.meta.url))
const OPEN_LOOP_PER_SECOND = 1_000

interface Sample {
  readonly perSecond: number
  readonly cpuMicros: number
}

export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const rounds = quick ? 1 : 3
  const count = quick ? 10_000 : 20_000
  const sink = await startSink()
  try {
    const rows: Row[] = []
    for (const channels of [1, 3]) {
      const ours: Sample[] = []
      const bare: Sample[] = []
      for (let round = 1; round <= rounds; round++) {
        progress(`${channels} channels, round ${round} of ${rounds}`)
        ours.push(await delivered(sink, { channels, count }))
        bare.push(await looped(sink, { channels, count }))
      }
      rows.push(row(channels, ours, bare))
    }
    progress(`${OPEN_LOOP_PER_SECOND} incidents/s`)
    const seconds = quick ? 5 : 20
    return [...rows.map((each) => ({ ...each, 'p50 ms': '', 'p99 ms': '' })), await evenly(sink, seconds)]
  } finally {
    await sink.stop()
  }
}

interface Load {
  readonly channels: number
  readonly count: number
}

async function delivered(sink: Server, { channels, count }: Load): Promise<Sample> {
  const service = await startService({ alert: alertOf(sink, channels) })
  try {
    await sent(service, sink, { channels, count: WARM_UP })
    const cpuBefore = service.cpuSeconds()
    const began = performance.now()
    await sent(service, sink, { channels, count })
    const seconds = (performance.now() - began) / 1_000
    const deliveries = count * channels
    return { perSecond: deliveries / seconds, cpuMicros: ((service.cpuSeconds() - cpuBefore) / deliveries) * 1e6 }
  } finally {
    await service.stop()
  }
}

/** Resolves when the sink has all of them. */
async function sent(service: Server, sink: Server, { channels, count }: Load): Promise<void> {
  await forget(sink)
  const payload = groupedAlert()
  await postAll(service.port, count, () => payload)
  await after(sink, count * channels)
}

async function looped(sink: Server, { channels, count }: Load): Promise<Sample> {
  const { bytes } = await after(sink, 0)
  const addresses = CHANNELS.slice(0, channels).map((name) => `http://127.0.0.1:${sink.port}/${name}`)
  const args = [LOOP, addresses.join(','), String(WARM_UP), String(count), String(bytes), String(CONCURRENCY)]
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ...args])
  return JSON.parse(stdout) as Sample
}

const forget = (sink: Server) => fetch(`http://127.0.0.1:${sink.port}/forget`)

async function after(sink: Server, count: number): Promise<{ readonly bytes: number }> {
  const answer = await fetch(`http://127.0.0.1:${sink.port}/after/${count}`)
  return (await answer.json()) as { bytes: number }
}

function alertOf({ port }: Server, channels: number): object {
  const url = `http://127.0.0.1:${port}`
  const keys = {
    officechat: { flow_url: `${url}/officechat` },
    chatws: { token: 'xoxb-bench', channel_id: 'C1', api_url: `${url}/chatws` },
    msgapp: { token: '1:bench', channel_id: '1', api_url: `${url}/msgapp` },
  }
  const on = CHANNELS.slice(0, channels).map((name) => [name, { ...keys[name], ...FAST }])
  return { ...Object.fromEntries(on), console: { enable: false } }
}

/** Every incident at its own time, whatever became of those before; how long each took is in the ledger. */
async function evenly(sink: Server, seconds: number): Promise<Row> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-bench-ledger-'))
  const storage = { file: { data_dir: dataDir, max_incidents: 1_000_000 } }
  const service = await startService({ alert: alertOf(sink, 1), storage })
  try {
    await sent(service, sink, { channels: 1, count: WARM_UP })
    await forget(sink)
    const count = OPEN_LOOP_PER_SECOND * seconds
    const cpuBefore = service.cpuSeconds()
    await postEvenly(service.port, groupedAlert(), { count, perSecond: OPEN_LOOP_PER_SECOND })
    await after(sink, count)
    const cpuMicros = ((service.cpuSeconds() - cpuBefore) / count) * 1e6
    await service.stop()
    const { p50, p99 } = latencies(dataDir, count)
    const blank = { 'bare loop/s': '', ratio: '', 'ratio per round': '' }
    return {
      ...{ channels: '1, open loop', 'delivered/s': OPEN_LOOP_PER_SECOND, ...blank },
      ...{ 'CPU us/delivery': Math.round(cpuMicros), 'CPU us bare': '', 'p50 ms': p50, 'p99 ms': p99 },
    }
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** From accepting to the provider's answer, of the last so many incidents. */
function latencies(dataDir: string, count: number): { p50: number; p99: number } {
  const db = new DatabaseSync(join(dataDir, 'tocsin.db'), { readOnly: true })
  const rows = db
    .prepare(
      `SELECT a.started_at + a.duration_ms - i.created_at AS ms FROM attempts a JOIN incidents i ON i.seq = a.incident
       WHERE a.outcome = 'sent' ORDER BY i.seq DESC LIMIT ?`,
    )
    .all(count)
  db.close()
  const sorted = rows.map(({ ms }) => Number(ms)).sort((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1))
  return { p50: at(0.5), p99: at(0.99) }
}

function row(channels: number, ours: readonly Sample[], bare: readonly Sample[]): Row {
  const rate = (samples: readonly Sample[]) => median(samples.map(({ perSecond }) => perSecond))
  const cpu = (samples: readonly Sample[]) => Math.round(median(samples.map(({ cpuMicros }) => cpuMicros)))
  return {
    channels: String(channels),
    'delivered/s': Math.round(rate(ours)),
    'bare loop/s': Math.round(rate(bare)),
    ratio: Number((rate(ours) / rate(bare)).toFixed(2)),
    'ratio per round': ours.map(({ perSecond }, at) => (perSecond / (bare[at]?.perSecond ?? 1)).toFixed(2)).join(' '),
    'CPU us/delivery': cpu(ours),
    'CPU us bare': cpu(bare),
  }
}
