import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { startProvider } from '../../../src/simulator/index.ts'
import { failing, Ledger, type Sink } from '../../harness/audit/ledger.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { twoChannels } from '../../harness/providers.ts'
import { randomFrom } from '../../harness/random.ts'
import { admin } from '../../harness/requests.ts'
import { until } from '../../harness/until.ts'
import { SEED } from '../campaign.ts'
import { type SabotageOrder, SUPERVISED } from './saboteur.ts'

const DELIVERY = {
  attempts: 1000,
  backoff: { initial: '20ms', max: '200ms' },
  timeout: '500ms',
  circuit: { failures: 1_000_000 },
}

/** Ends of a thread. */
export const ORDERS: readonly SabotageOrder[] = [
  ...(['terminate', 'exit', 'throw', 'exhaust'] as const).flatMap((does) =>
    SUPERVISED.map((thread): SabotageOrder => ({ thread, does })),
  ),
  { thread: 'render', does: 'terminate' },
  { thread: 'front-2', does: 'throw' },
]

/** Faults of the program, which no crash excuses. */
export const FAULT = /(Type|Range|Syntax|Reference)Error|unhandled|was lost on its way|could not be recognised/

/** A service of two fronts with failing channels, a failing pager and an agent, of which nothing may be lost and nothing counted twice. */
export interface DeliveryAudit {
  readonly file: string
  readonly logs: string
  readonly ledger: Ledger
  readonly sinks: readonly Sink[]
  readonly roll: () => number
  /** How often what was done to it. */
  readonly done: Map<string, number>
  /** Lines in the log so far. */
  lines: number
}

export async function setupDeliveryAudit(t: TestContext): Promise<DeliveryAudit> {
  const { chat, flow, alert } = await twoChannels(t)
  const pager = await startProvider('webhook')
  t.after(() => pager.close())
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
  const roll = randomFrom(SEED)
  const sinks = [chat, flow, pager].map((provider) => failing(provider, roll))
  return { file, logs, ledger: new Ledger(), sinks, roll, done: new Map(), lines: 0 }
}

export function count({ done }: DeliveryAudit, what: string): void {
  done.set(what, (done.get(what) ?? 0) + 1)
}

/** Lines for the agent, all of one pattern. */
export function writeLines(audit: DeliveryAudit, lines: number): void {
  const from = audit.lines
  audit.lines += lines
  const text = Array.from({ length: lines }, (_, n) => `request ${from + n} was served\n`)
  appendFileSync(audit.logs, text.join(''))
}

/** Mends what fails, waits for all that was accepted, and says what it came to. */
export async function auditDeliveries(t: TestContext, audit: DeliveryAudit, url: string): Promise<void> {
  const { ledger, sinks, done } = audit
  for (const sink of sinks) sink.mend()
  const { accepted, again, duplicates } = await ledger.audit(url, sinks)
  await allLearned(audit, url)
  t.diagnostic(JSON.stringify(Object.fromEntries([...done].sort())))
  t.diagnostic(`${accepted} accepted, none lost; ${again} sent again, none stored twice`)
  t.diagnostic(`${duplicates} arrived more than once, all marked; ${audit.lines} lines of log, each counted once`)
  assert.ok(accepted > 0)
}

async function allLearned({ lines }: DeliveryAudit, url: string): Promise<void> {
  const counts = async () => {
    const { patterns } = (await admin(url, '/api/agent/patterns')) as { patterns: { count: number }[] }
    return patterns.map(({ count }) => count)
  }
  const learned = await until(counts, (all) => all.reduce((sum, each) => sum + each, 0) >= lines)
  assert.deepEqual(learned, [lines])
}
