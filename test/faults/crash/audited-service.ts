import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type AuditedProvider, auditedProvider } from '../../harness/audit/audited-provider.ts'
import { Ledger } from '../../harness/audit/ledger.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin } from '../../harness/net/requests.ts'
import { startStandIn, twoChannels } from '../../harness/providers.ts'
import { randomFrom } from '../../harness/random.ts'
import { until } from '../../harness/until.ts'
import { SEED } from '../campaign.ts'
import { type SabotageOrder, SUPERVISED } from './saboteur.ts'

const DELIVERY = {
  attempts: 1000,
  backoff: { initial: '20ms', max: '200ms' },
  timeout: '500ms',
  circuit: { failures: 1_000_000 },
}

/** All ways in which a thread can end. */
export const ORDERS: readonly SabotageOrder[] = [
  ...(['terminate', 'exit', 'throw', 'exhaust'] as const).flatMap((does) =>
    SUPERVISED.map((thread): SabotageOrder => ({ thread, does })),
  ),
  { thread: 'render', does: 'terminate' },
  { thread: 'front-2', does: 'throw' },
]

/** Matches log lines of bugs that no crash explains. */
export const BUG = /(Type|Range|Syntax|Reference)Error|unhandled|between threads was lost|payload could not be read/

/**
 * Configuration of a service with two fronts, failing channels, a failing pager and an agent, and the books kept about
 * it.
 */
export interface AuditedService {
  readonly file: string
  readonly logs: string
  readonly ledger: Ledger
  readonly providers: readonly AuditedProvider[]
  readonly random: () => number
  /** Number of times that each fault was injected. */
  readonly injected: Map<string, number>
  /** Lines written to the log so far. */
  lines: number
}

export async function setupAuditedService(t: TestContext): Promise<AuditedService> {
  const { chat, flow, alert } = await twoChannels(t)
  const pager = await startStandIn(t, 'webhook')
  const dir = folder()
  const logs = join(dir, 'app.log')
  writeFileSync(logs, '')
  const file = configFile(dir, {
    alert,
    http: { threads: 2 },
    delivery: DELIVERY,
    oncall: { enable: true, wait_minutes: 0.005, provider: 'webhook', webhook: { url: `${pager.url}/page` } },
    agent: {
      enable: true,
      mode: 'training',
      poll_interval: '100ms',
      regex: { default_pattern: '.*' },
      sources: [{ name: 'app', type: 'file', enable: true, file: { path: logs, from_beginning: true } }],
    },
    log: { level: 'info' },
  })
  const random = randomFrom(SEED)
  const providers = [chat, flow, pager].map((provider) => auditedProvider(provider, random))
  return { file, logs, ledger: new Ledger(), providers, random, injected: new Map(), lines: 0 }
}

export function count({ injected }: AuditedService, fault: string): void {
  injected.set(fault, (injected.get(fault) ?? 0) + 1)
}

/** Appends log lines for the agent, all of one pattern. */
export function writeLines(audited: AuditedService, lines: number): void {
  const from = audited.lines
  audited.lines += lines
  const text = Array.from({ length: lines }, (_, n) => `request ${from + n} was served\n`)
  appendFileSync(audited.logs, text.join(''))
}

/** Heals all providers, then waits until every accepted incident has arrived and every log line is counted once. */
export async function auditService(t: TestContext, audited: AuditedService, url: string): Promise<void> {
  const { ledger, providers, injected } = audited
  for (const provider of providers) provider.heal()
  const { accepted, again, duplicates } = await ledger.audit(url, providers)
  await allLearned(audited, url)
  t.diagnostic(JSON.stringify(Object.fromEntries([...injected].sort())))
  t.diagnostic(`${accepted} accepted, none lost; ${again} posted again, none stored twice`)
  t.diagnostic(`${duplicates} arrived more than once, all marked; ${audited.lines} log lines, each counted once`)
  assert.ok(accepted > 0)
}

async function allLearned({ lines }: AuditedService, url: string): Promise<void> {
  const counts = async () => {
    const { patterns } = await admin<{ patterns: { count: number }[] }>(url, '/api/agent/patterns')
    return patterns.map(({ count }) => count)
  }
  const learned = await until(counts, (all) => all.reduce((sum, each) => sum + each, 0) >= lines)
  assert.deepEqual(learned, [lines])
}
