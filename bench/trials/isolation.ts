import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SECRET } from '../../test/harness/net/requests.ts'
import { until } from '../../test/harness/until.ts'
import { watchRss } from '../../test/harness/watch/memory.ts'
import { postAll } from '../load/post-all.ts'
import { type CaseOptions, figure, measure, type Row, type TrialOptions } from '../report.ts'
import { askAdmin } from '../servers/admin.ts'
import type { Server } from '../servers/server.ts'
import { startFaultySink, startService } from '../servers/start.ts'
import { type AuditedChannel, auditDeliveries, type SinkReport } from '../sinks/delivery-audit.ts'
import { askSink, untilReceived } from '../sinks/sink-client.ts'

/**
 * Cost of two failing channels for a healthy one: one hangs, one refuses three of ten. All have the same rate limit,
 * far below what the machine can do, so that only waiting for each other can make the healthy one slower.
 */
export const title =
  'isolation: incidents at once, 1,000/s per channel; a healthy channel alone, and beside one that hangs and one that errs'

const PER_SECOND = 1_000
const DEADLINE_MS = 300_000
const PACE = { enable: true, concurrency: 32, rate: { per_second: PER_SECOND, burst: 100 } }

interface Sample {
  readonly healthySeconds: number
  readonly healedSeconds: number
  readonly maxRssMb: number
  readonly lost: number
  readonly repeated: number
  readonly unflagged: number
}

interface Case {
  readonly count: number
  readonly rounds: number
}

export function cases({ quick }: CaseOptions): Case[] {
  return [quick ? { count: 500, rounds: 1 } : { count: 5_000, rounds: 3 }]
}

export async function run({ progress }: TrialOptions, { count, rounds }: Case): Promise<Row[]> {
  const alone: Sample[] = []
  const beside: Sample[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}, alone`)
    alone.push(await sample(count, ['officechat']))
    progress(`round ${round} of ${rounds}, beside the failing ones`)
    beside.push(await sample(count, ['officechat', 'chatws', 'msgapp']))
  }
  const shares = beside.map(({ healthySeconds }, at) => (alone[at]?.healthySeconds ?? Number.NaN) / healthySeconds)
  return [
    { 'healthy channel': 'alone', incidents: count, ...row(alone), 'as fast as alone': '' },
    {
      'healthy channel': 'beside two failing',
      incidents: count,
      ...row(beside),
      'as fast as alone': measure(shares, 2),
    },
  ]
}

async function sample(count: number, channels: readonly AuditedChannel[]): Promise<Sample> {
  const sink = await startFaultySink()
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-bench-isolation-'))
  const service = await startService(settings(sink, dataDir, channels))
  const rss = watchRss(service.pid, 100)
  try {
    const began = performance.now()
    await postAll(service.url, count, numbered)
    await untilReceived(sink, count)
    const healthySeconds = (performance.now() - began) / 1_000
    await askSink(sink, '/heal')
    const healed = performance.now()
    await finished(service, count, channels)
    const healedSeconds = (performance.now() - healed) / 1_000
    const report = await askSink<SinkReport>(sink, '/report')
    const maxRssMb = Math.max(...rss.stop()) / 2 ** 20
    await service.stop()
    return { healthySeconds, healedSeconds, maxRssMb, ...auditDeliveries({ report, dataDir, count }, channels) }
  } finally {
    rss.stop()
    await service.stop()
    await sink.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function settings({ url }: Server, dataDir: string, channels: readonly AuditedChannel[]) {
  const keys = {
    officechat: { flow_url: `${url}/officechat` },
    chatws: { token: 'xoxb-bench', channel_id: 'C1', api_url: `${url}/chatws` },
    msgapp: { token: '1:bench', channel_id: '1', api_url: `${url}/msgapp` },
  }
  const on = channels.map((name) => [name, { ...keys[name], ...PACE }])
  return {
    gateway_secret: SECRET,
    alert: { ...Object.fromEntries(on), console: { enable: false } },
    delivery: { attempts: 1_000, backoff: { initial: '200ms', max: '2s' }, timeout: '5s', circuit: { open_for: '1s' } },
    storage: { file: { data_dir: dataDir, max_incidents: 1_000_000 } },
    log: { level: 'info' },
  }
}

/** An incident of a kilobyte with a number that every template prints. */
function numbered(n: number): object {
  return { ServiceName: 'ledger', title: `cannot write entry n${n}e`, severity: 'critical', Logs: LOGS }
}
const LOGS = 'a log line about what went wrong '.repeat(20)

interface Channels {
  readonly channels: readonly { readonly name: string; readonly counters: { readonly sent: number } }[]
}

/** Resolves when each of the channels has sent all incidents. */
async function finished(service: Server, count: number, names: readonly AuditedChannel[]): Promise<void> {
  const sent = async () => {
    const { channels } = await askAdmin<Channels>(service, '/channels')
    const audited = channels.filter(({ name }) => (names as readonly string[]).includes(name))
    return audited.map(({ counters }) => counters.sent)
  }
  await until(sent, (counts) => counts.every((each) => each === count), { deadlineMs: DEADLINE_MS, everyMs: 100 })
}

function row(samples: readonly Sample[]): Row {
  return {
    'healthy done in s': figure(samples, 'healthySeconds', 2),
    'others done s after recovery': figure(samples, 'healedSeconds', 1),
    'most memory MB': figure(samples, 'maxRssMb', 0),
    lost: figure(samples, 'lost', 0),
    'came twice': figure(samples, 'repeated', 0),
    'of these unmarked': figure(samples, 'unflagged', 0),
  }
}
