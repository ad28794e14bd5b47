import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { configFile, folder, type Overrides } from '../harness/config-file.ts'
import { admin } from '../harness/net/requests.ts'
import { type Started, startProcess } from '../harness/process.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { rssBytes } from '../harness/watch/proc.ts'

/** Matches log lines of bugs: an actor or a thread failed, or an exception of the language. */
const BUG =
  /an actor failed|fail twice|a thread died|between threads was lost|payload could not be read|a request failed|step of the shutdown failed|uncaught|unhandled|(Type|Range|Syntax|Reference)Error|Warning: /i
/**
 * Heaps grow lazily, so that some growth under the worst load is no leak: beside them there may be 64 MiB of requests, 48
 * MiB of payloads at three senders, 32 MiB of entries and commits on the way, 32 MiB of the database's cache.
 */
const MAX_GROWTH_BYTES = 400 * 1024 * 1024

interface VictimOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Keys of `storage.file`. */
  readonly limits?: object
}

/**
 * Starts a service in a process of its own, with two channels, pages, a live tail, and an agent that reads a pushed
 * source and a file.
 */
export async function startVictim(t: TestContext, overrides: Overrides = {}, { env, limits }: VictimOptions = {}) {
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
  const rss = () => rssBytes(started.child.pid ?? 0)
  return { ...started, dir, file, logs, chat, flow, rss, assertSound: () => assertSound(started) }
}

export type Victim = Awaited<ReturnType<typeof startVictim>>

export function assertBounded(before: number, after: number): void {
  assert.ok(after - before < MAX_GROWTH_BYTES, `memory went from ${mib(before)} to ${mib(after)}`)
}

/**
 * Memory that may stay when all load has ended: a share of it, and at least what the heaps of all threads differ by from
 * run to run. The rest must be returned in `RETURN_MS`.
 */
const MAX_KEPT = 0.1
const MIN_KEPT_BYTES = 64 * 1024 * 1024
const RETURN_MS = 90_000

/** Fails when memory does not return to `before`, which is taken after a first round of the same work. */
export async function assertMemoryReturned(
  t: TestContext,
  { rss }: Pick<Victim, 'rss'>,
  before: number,
): Promise<void> {
  const bound = before + Math.max(before * MAX_KEPT, MIN_KEPT_BYTES)
  const after = await until(rss, (bytes) => bytes <= bound, { deadlineMs: RETURN_MS, everyMs: 500 })
  t.diagnostic(`memory ${mib(before)} before, ${mib(after)} after`)
}

const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`

interface Threads {
  readonly threads: { readonly [name: string]: { readonly state: string; readonly restarts: number } }
}

/** Fails when the process has ended, a thread was started again, or the log shows a bug. */
export async function assertSound({ child, url, output }: Started): Promise<void> {
  assert.deepEqual([child.exitCode, child.signalCode], [null, null], output().slice(-3_000))
  const { threads } = await admin<Threads>(url, '/api/admin/stats')
  for (const [name, { state, restarts }] of Object.entries(threads))
    assert.deepEqual([name, state, restarts], [name, 'up', 0], bugsIn(output()))
  assert.equal(bugsIn(output()), '')
}

/** Returns the first ten log lines that show a bug. */
export function bugsIn(output: string): string {
  const lines = output.split('\n').filter((line) => BUG.test(line))
  return lines.slice(0, 10).join('\n').slice(0, 5_000)
}
