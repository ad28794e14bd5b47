import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Started, startProcess } from '../harness/process.ts'
import { admin, configFile, folder, type Overrides, twoChannels } from '../harness/system.ts'
import { until } from './campaign.ts'

/** Log lines that say the service itself is at fault. */
const FAULT =
  /an actor failed|failed twice|a thread died|was lost on its way|could not be recognised|a request failed|step of the shutdown failed|uncaught|unhandled|(Type|Range|Syntax|Reference)Error|Warning: /i
/** What the process may hold more after the worst than before it: heaps grow lazily. */
const MAX_GROWTH_BYTES = 400 * 1024 * 1024

interface Surroundings {
  readonly env?: NodeJS.ProcessEnv
  /** Of `storage.file`. */
  readonly limits?: object
}

/** A service in a process of its own with two channels, pages, a tail and an agent that reads what is pushed to it and a file. */
export async function startVictim(t: TestContext, overrides: Overrides = {}, { env, limits }: Surroundings = {}) {
  const dir = folder()
  const logs = join(dir, 'app.log')
  writeFileSync(logs, '')
  const { chat, flow, alert } = await twoChannels(t)
  const file = configFile(dir, {
    alert,
    public_host: 'http://127.0.0.1:9',
    oncall: { enable: true, wait_minutes: 0, provider: 'webhook', webhook: { url: `${chat.url}/page` } },
    agent: {
      enable: true,
      mode: 'detect',
      poll_interval: '100ms',
      new_service_grace: '0s',
      regex: { default_pattern: '.*' },
      sources: [
        { name: 'push', type: 'http', enable: true },
        { name: 'app', type: 'file', enable: true, file: { path: logs, from_beginning: true } },
      ],
    },
    log: { level: 'info' },
    storage: { file: { data_dir: join(dir, 'data'), max_incidents: 100_000, ...limits } },
    ...overrides,
  })
  mkdirSync(join(dir, 'data'), { recursive: true })
  const started = await startProcess(t, file, env)
  return { ...started, dir, file, logs, chat, flow, rss: () => rssOf(started), sound: () => assertSound(started) }
}

export type Victim = Awaited<ReturnType<typeof startVictim>>

/** Bytes; 0 where there is no /proc. */
function rssOf({ child }: Pick<Started, 'child'>): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

export function assertBounded(before: number, after: number): void {
  assert.ok(after - before < MAX_GROWTH_BYTES, `memory went from ${mib(before)} to ${mib(after)}`)
}

/** What the service may hold more when all is over than it did before, and how long it may take to give the rest back. */
const MAX_KEPT = 0.1
const RETURN_MS = 90_000

/** `before`: after it had been put to the same work once. */
export async function assertMemoryReturned(
  t: TestContext,
  victim: Pick<Started, 'child'>,
  before: number,
): Promise<void> {
  const after = await until(
    () => rssOf(victim),
    (bytes) => bytes <= before * (1 + MAX_KEPT),
    { deadlineMs: RETURN_MS, everyMs: 500 },
  )
  t.diagnostic(`memory ${mib(before)} before, ${mib(after)} after`)
}

const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`

interface Threads {
  readonly threads: { readonly [name: string]: { readonly state: string; readonly restarts: number } }
  readonly ingest: { readonly refused_total: { readonly [code: string]: number } }
}

/** It runs, no thread has died, and its log holds no fault of its own. */
export async function assertSound({ child, url, output }: Started): Promise<void> {
  assert.deepEqual([child.exitCode, child.signalCode], [null, null], output().slice(-3_000))
  const { threads } = (await admin(url, '/api/admin/stats')) as Threads
  for (const [name, { state, restarts }] of Object.entries(threads))
    assert.deepEqual([name, state, restarts], [name, 'up', 0], faultsIn(output()))
  assert.equal(faultsIn(output()), '')
}

export function faultsIn(output: string): string {
  const lines = output.split('\n').filter((line) => FAULT.test(line))
  return lines.slice(0, 10).join('\n').slice(0, 5_000)
}
