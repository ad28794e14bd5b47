import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stringify } from 'yaml'
import { MAIN } from '../../test/harness/process.ts'
import { spawnNode } from '../../test/harness/spawn.ts'
import { postAll } from '../load/post-all.ts'
import { type CaseOptions, type Goal, measure, type Row, type TrialOptions } from '../report.ts'
import { listening, type Server } from '../servers/server.ts'
import { startSink } from '../servers/start.ts'
import { alertConfigFor, resetSink, untilReceived } from '../sinks/sink-client.ts'

/**
 * Time from the start of the process to its log line `ready`, and memory when idle. From `ready` on: to the message of
 * the first incident, which is posted at once, and to the last message of what an earlier life left on disk.
 */
export const title =
  'start: seconds until ready, from there to the first delivery and to the end of a backlog, and memory when idle'

interface Case {
  readonly what: string
  /** Channels that deliver to the sink; 0: as shipped, which prints on the console. */
  readonly channels: number
  /** On-call and the log agent are on. */
  readonly everything: boolean
  /** Deliveries that an earlier life left on disk; 0: not measured. */
  readonly backlog: number
  readonly rounds: number
  readonly idleMs: number
  readonly goals: boolean
}
interface Sample {
  readonly readySeconds: number
  readonly idleMb: number
  readonly firstMs?: number
  readonly backlogSeconds?: number
}

const READY: Goal = { atMost: 1.5 }
const FIRST_DELIVERY: Goal = { atMost: 300 }
const IDLE: Goal = { atMost: 200 }

const EVERYTHING = {
  gateway_secret: 'of-the-bench',
  oncall: { enable: true, provider: 'webhook', webhook: { url: 'http://127.0.0.1:9' } },
  agent: { enable: true, sources: [{ name: 'push', type: 'http' }] },
}
const SHIPPED: Case = {
  what: 'as shipped',
  channels: 0,
  everything: false,
  backlog: 0,
  rounds: 5,
  idleMs: 4_000,
  goals: true,
}

export function cases({ quick }: CaseOptions): Case[] {
  const one = { ...SHIPPED, what: 'one channel', channels: 1, backlog: 1_000 }
  if (quick) return [{ ...one, rounds: 1, idleMs: 1_000 }]
  const six = { ...SHIPPED, what: 'six channels', channels: 6 }
  const everything = { ...six, what: 'six channels, on-call, log agent, dashboard', everything: true, goals: false }
  return [SHIPPED, one, six, everything]
}

export async function run({ scratch, progress }: TrialOptions, one: Case): Promise<Row[]> {
  const { what, rounds, goals } = one
  const samples: Sample[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`${what}, round ${round} of ${rounds}`)
    samples.push(await sampleOf(scratch, one))
  }
  const figureOf = (name: keyof Sample, digits: number, goal?: Goal) => {
    const values = samples.flatMap((sample) => sample[name] ?? [])
    return values.length === 0 ? '' : measure(values, digits, goals ? goal : undefined)
  }
  return [
    {
      configuration: what,
      'ready s': figureOf('readySeconds', 2, READY),
      'ready to first delivery ms': figureOf('firstMs', 0, FIRST_DELIVERY),
      'ready to 1,000 of an earlier life s': figureOf('backlogSeconds', 2),
      'idle MB': figureOf('idleMb', 0, IDLE),
    },
  ]
}

async function sampleOf(scratch: string, one: Case): Promise<Sample> {
  const sink = await startSink()
  const dir = mkdtempSync(join(scratch, 'start-'))
  try {
    const idle = await idleSample(join(dir, 'idle'), sink, one)
    const first = one.channels > 0 && { firstMs: await firstDeliveryMs(join(dir, 'first'), sink, one) }
    const rest = one.backlog > 0 && { backlogSeconds: await backlogSeconds(join(dir, 'backlog'), sink, one) }
    return { ...idle, ...first, ...rest }
  } finally {
    await sink.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function idleSample(dataDir: string, sink: Server, one: Case): Promise<Sample> {
  const { server, readySeconds } = await started(dataDir, sink, one)
  await pause(one.idleMs)
  const idleMb = server.rssBytes() / 1e6
  await server.stop()
  return { readySeconds, idleMb }
}

/** Returns the milliseconds from `ready` to the first message, with a process that has sent nothing yet. */
async function firstDeliveryMs(dataDir: string, sink: Server, one: Case): Promise<number> {
  await resetSink(sink)
  const { server } = await started(dataDir, sink, one)
  const began = performance.now()
  const received = untilReceived(sink, 1)
  await postAll(server.url, 1, payloadOf)
  await received
  const firstMs = performance.now() - began
  await server.stop()
  return firstMs
}

/**
 * Kills a process whose provider accepts connections and never answers, and starts another one over its data with the
 * sink. Returns the seconds from `ready` to the last message.
 */
async function backlogSeconds(dataDir: string, sink: Server, one: Case): Promise<number> {
  const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const earlier = await started(dataDir, sink, one, `http://127.0.0.1:${port}`)
  await postAll(earlier.server.url, one.backlog, payloadOf)
  const killed = once(earlier.child, 'exit')
  earlier.child.kill('SIGKILL')
  await killed
  silent.close()
  await resetSink(sink)
  const { server } = await started(dataDir, sink, one)
  const began = performance.now()
  await untilReceived(sink, one.backlog)
  const seconds = (performance.now() - began) / 1_000
  await server.stop()
  return seconds
}

const payloadOf = (n: number) => ({ title: `incident ${n}`, severity: 'critical', service: 'bench', n })

/** Starts the service, with its channels at the sink or at `url`. */
async function started(dataDir: string, sink: Server, { channels, everything }: Case, url = sink.url) {
  const file = `${dataDir}.yaml`
  const alert = channels > 0 ? { alert: await alertConfigFor(sink, channels, 'counted', url) } : {}
  const storage = { file: { data_dir: dataDir } }
  const config = { host: '127.0.0.1', port: 0, storage, delivery: { timeout: '60s' }, ...alert }
  writeFileSync(file, stringify({ ...config, ...(everything && EVERYTHING) }))
  const began = performance.now()
  const child = spawnNode([MAIN, '--config', file])
  const server = await listening(child, child.stdout)
  const readySeconds = (performance.now() - began) / 1_000
  return { server, child, readySeconds }
}
