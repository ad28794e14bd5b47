import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { postAll } from '../load/post-all.ts'
import { type CaseOptions, figure, measure, type Row, type TrialOptions } from '../report.ts'
import { admin, SECRET } from '../servers/admin.ts'
import { type Server, startService, startSickSink } from '../servers/server.ts'
import { auditDeliveries, type ChannelName, type SinkReport } from '../sinks/delivery-audit.ts'

/**
 * What two sick channels cost a healthy one: one hangs, one refuses three of ten. All three have the same rate, so that the machine is never
 * the limit and what is measured is who waits for whom.
 */
export const title =
  'isolation: incidents at once, 1,000/s per channel; a healthy channel alone, and beside one that hangs and one that errs'

const PER_SECOND = 1_000
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
    progress(`round ${round} of ${rounds}, beside the sick ones`)
    beside.push(await sample(count, ['officechat', 'chatws', 'msgapp']))
  }
  const shares = beside.map(({ healthySeconds }, at) => (alone[at]?.healthySeconds ?? Number.NaN) / healthySeconds)
  return [
    { 'healthy channel': 'alone', incidents: count, ...row(alone), 'as fast as alone': '' },
    { 'healthy channel': 'beside two sick', incidents: count, ...row(beside), 'as fast as alone': measure(shares, 2) },
  ]
}

async function sample(count: number, channels: readonly ChannelName[]): Promise<Sample> {
  const sink = await startSickSink()
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-bench-isolation-'))
  const service = await startService(settings(sink, dataDir, channels))
  const rss = watchRss(service)
  try {
    const began = performance.now()
    await postAll(service.port, count, numbered)
    await ask(sink, `/after/${count}`)
    const healthySeconds = (performance.now() - began) / 1_000
    await ask(sink, '/heal')
    const healed = performance.now()
    await finished(service, count, channels)
    const healedSeconds = (performance.now() - healed) / 1_000
    const report = (await ask(sink, '/report')) as SinkReport
    const maxRssMb = rss.stop()
    await service.stop()
    return { healthySeconds, healedSeconds, maxRssMb, ...auditDeliveries({ report, dataDir, count }, channels) }
  } finally {
    rss.stop()
    await service.stop()
    await sink.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function settings({ port }: Server, dataDir: string, channels: readonly ChannelName[]): object {
  const url = `http://127.0.0.1:${port}`
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

/** A kilobyte with a number that every template prints. */
function numbered(n: number): object {
  return { ServiceName: 'ledger', title: `cannot write entry n${n}e`, severity: 'critical', Logs: LOGS }
}
const LOGS = 'a line of the log that says what went wrong '.repeat(20)

async function ask({ port }: Server, path: string): Promise<unknown> {
  const said = await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  return said === '' ? undefined : JSON.parse(said)
}

interface Channels {
  readonly channels: readonly { readonly name: string; readonly counters: { readonly sent: number } }[]
}

async function finished(service: Server, count: number, names: readonly ChannelName[]): Promise<void> {
  for (;;) {
    const { channels } = await admin<Channels>(service, 'GET', '/channels')
    const sent = channels.filter(({ name }) => (names as readonly string[]).includes(name))
    if (sent.every(({ counters }) => counters.sent === count)) return
    await pause(100)
  }
}

function watchRss(service: Server): { stop(): number } {
  let max = 0
  const timer = setInterval(() => {
    max = Math.max(max, service.rssBytes() / 2 ** 20)
  }, 100)
  return {
    stop() {
      clearInterval(timer)
      return max
    },
  }
}

function row(samples: readonly Sample[]): Row {
  return {
    'healthy done in s': figure(samples, 'healthySeconds', 2),
    'others done s after healing': figure(samples, 'healedSeconds', 1),
    'most memory MB': figure(samples, 'maxRssMb', 0),
    lost: figure(samples, 'lost', 0),
    'came twice': figure(samples, 'repeated', 0),
    'of these unflagged': figure(samples, 'unflagged', 0),
  }
}
