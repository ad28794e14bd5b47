import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { spawnService, startProcess } from '../../harness/process.ts'
import { until } from '../../harness/until.ts'
import { roundsFor } from '../campaign.ts'
import {
  type AuditedService,
  auditService,
  BUG,
  count,
  ORDERS,
  setupAuditedService,
  writeLines,
} from './audited-service.ts'
import { SABOTAGED, type SabotageOrder } from './saboteur.ts'

/** Ways in which a process ends, each as likely as the others. */
const ENDS = [...Array<'SIGKILL'>(6).fill('SIGKILL'), 'SIGKILL before it is ready', 'SIGTERM', 'SIGSTOP'] as const

test('killed, stopped and halted at random moments, while threads die and providers fail: what was accepted arrives', async (t) => {
  const audited = await setupAuditedService(t)
  for (const _ of roundsFor(0.3)) await runOnce(t, audited)
  const { url } = await startProcess(t, audited.file)
  await auditService(t, audited, url)
})

/** Runs the service once under load, until it is ended at a random moment. */
async function runOnce(t: TestContext, audited: AuditedService): Promise<void> {
  const { file, ledger, random } = audited
  const fronts = random() < 0.5 ? 1 : 2
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^( +threads:) \d$/m, `$1 ${fronts}`))
  count(audited, `${fronts} fronts`)
  const { child, url, output } = spawnService(t, file, SABOTAGED)
  const exit = once(child, 'exit')
  const end = oneOf(ENDS, random)
  count(audited, end)
  if (end === 'SIGKILL before it is ready') {
    url.catch(() => {})
    await pause(random() * 1_000)
    child.kill('SIGKILL')
    return void (await exit)
  }
  const stop = new AbortController()
  const work = ledger.load(await url, stop.signal)
  writeLines(audited, 20)
  if (random() < DELIVERING_SHARE) await untilDelivering(audited)
  await pause(random() * 800)
  await sabotage(audited, (order) => child.send(order))
  writeLines(audited, 20)
  if (end === 'SIGSTOP') {
    child.kill('SIGSTOP')
    await pause(random() * 5_000)
    child.kill('SIGCONT')
  }
  child.kill(end === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL')
  const [code] = await exit
  if (end === 'SIGTERM') assert.equal(code, 0)
  stop.abort()
  await work
  assert.doesNotMatch(output(), BUG)
}

/**
 * Share of the runs that end after the first delivery of the run. The first one takes the longest, so the others end
 * before any.
 */
const DELIVERING_SHARE = 0.8

async function untilDelivering({ providers: [channel] }: AuditedService): Promise<void> {
  const before = channel?.requests ?? 0
  await until(() => (channel?.requests ?? 0) > before)
}

/** Ends up to two threads, in every second run, sometimes one while another is being started again. */
async function sabotage(audited: AuditedService, send: (order: SabotageOrder) => void): Promise<void> {
  const { random } = audited
  for (let left = Math.floor(random() * 4) - 1; left > 0; left--) {
    const order = oneOf(ORDERS, random)
    count(audited, `${order.thread} ${order.does}`)
    send(order)
    await pause(random() * 700)
  }
}

const oneOf = <T>(all: readonly T[], random: () => number) => all[Math.floor(random() * all.length)] as T
