import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { rssBytes } from '../../test/harness/watch/proc.ts'
import { type CaseOptions, measure, type Row, type TrialOptions } from '../report.ts'
import { CHANNELS } from '../sinks/sink-client.ts'

/** Time from the start of the process to its log line `ready`, and memory when idle. */
export const title = 'start: seconds until ready on an empty data directory, and resident memory when idle'

interface Case {
  readonly what: string
  readonly config: object
  readonly rounds: number
  readonly idleMs: number
  readonly goals: boolean
}
interface Sample {
  readonly readySeconds: number
  readonly idleMb: number
}

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const MOST_READY_S = 1.5
const MOST_IDLE_MB = 220

const NOWHERE = 'http://127.0.0.1:9'
const KEYS: { readonly [channel in (typeof CHANNELS)[number]]: object } = {
  officechat: { flow_url: NOWHERE },
  chatws: { token: 'xoxb-bench', channel_id: 'C1' },
  msgapp: { token: '1:bench', channel_id: '1' },
  workchat: { webhook_url: NOWHERE },
  messenger: { token: 'bench', channel_id: '1' },
  email: { smtp_host: '127.0.0.1', from: 'a@example.net', to: 'b@example.net' },
}
const EVERYTHING = {
  gateway_secret: 'of-the-bench',
  alert: Object.fromEntries(CHANNELS.map((name) => [name, { enable: true, ...KEYS[name] }])),
  oncall: { enable: true, provider: 'webhook', webhook: { url: NOWHERE } },
  agent: { enable: true, sources: [{ name: 'push', type: 'http' }] },
}

export function cases({ quick }: CaseOptions): Case[] {
  const asShipped = { what: 'as shipped', config: {}, rounds: 3, idleMs: 3_000, goals: true }
  if (quick) return [{ ...asShipped, rounds: 1, idleMs: 1_000 }]
  return [
    asShipped,
    { what: 'six channels, on-call, log agent, dashboard', config: EVERYTHING, rounds: 3, idleMs: 3_000, goals: false },
  ]
}

export async function run({ scratch, progress }: TrialOptions, one: Case): Promise<Row[]> {
  const { what, rounds, goals } = one
  const samples: Sample[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`${what}, round ${round} of ${rounds}`)
    samples.push(await started(scratch, one))
  }
  const [ready, idle] = goals ? [{ atMost: MOST_READY_S }, { atMost: MOST_IDLE_MB }] : []
  return [
    {
      configuration: what,
      'ready s': measure(
        samples.map(({ readySeconds }) => readySeconds),
        2,
        ready,
      ),
      'idle MB': measure(
        samples.map(({ idleMb }) => idleMb),
        0,
        idle,
      ),
    },
  ]
}

async function started(scratch: string, { config, idleMs }: Case): Promise<Sample> {
  const dir = mkdtempSync(join(scratch, 'start-'))
  const file = join(dir, 'config.yaml')
  const storage = { file: { data_dir: join(dir, 'data') } }
  writeFileSync(file, stringify({ host: '127.0.0.1', port: 0, storage, ...config }))
  const began = performance.now()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, '--config', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('"message":"ready"')) break
    const readySeconds = (performance.now() - began) / 1_000
    child.stdout.resume()
    await pause(idleMs)
    const idleMb = rssBytes(child.pid ?? 0) / 1e6
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
    return { readySeconds, idleMb }
  } finally {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
    rmSync(dir, { recursive: true, force: true })
  }
}
