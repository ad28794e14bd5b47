import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { spawnService, startProcess } from '../../harness/process.ts'
import { until } from '../../harness/until.ts'
import { roundsFor } from '../campaign.ts'
import {
  auditDeliveries,
  count,
  type DeliveryAudit,
  FAULT,
  ORDERS,
  setupDeliveryAudit,
  writeLines,
} from './audited-service.ts'
import { SABOTAGED, type SabotageOrder } from './saboteur.ts'

/** How a life ends, one as likely as the other. */
const ENDS = [...Array<'SIGKILL'>(6).fill('SIGKILL'), 'SIGKILL before it is ready', 'SIGTERM', 'SIGSTOP'] as const

test('killed, ended and halted at any moment, threads and all, while providers fail: what was accepted arrives', async (t) => {
  const audit = await setupDeliveryAudit(t)
  for (const _ of roundsFor(0.3)) await live(t, audit)
  const { url } = await startProcess(t, audit.file)
  await auditDeliveries(t, audit, url)
})

/** One life of the service, ended at some moment. */
async function live(t: TestContext, audit: DeliveryAudit): Promise<void> {
  const { file, ledger, roll } = audit
  const fronts = roll() < 0.5 ? 1 : 2
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^( +threads:) \d$/m, `$1 ${fronts}`))
  count(audit, `${fronts} fronts`)
  const { child, url, output } = spawnService(t, file, SABOTAGED)
  const exit = once(child, 'exit')
  const end = oneOf(ENDS, roll)
  count(audit, end)
  if (end === 'SIGKILL before it is ready') {
    url.catch(() => {})
    await pause(roll() * 1_000)
    child.kill('SIGKILL')
    return void (await exit)
  }
  const stop = new AbortController()
  const work = ledger.load(await url, stop.signal)
  writeLines(audit, 20)
  if (roll() < MOSTLY) await delivering(audit)
  await pause(roll() * 800)
  await sabotage(audit, (order) => child.send(order))
  writeLines(audit, 20)
  if (end === 'SIGSTOP') {
    child.kill('SIGSTOP')
    await pause(roll() * 5_000)
    child.kill('SIGCONT')
  }
  child.kill(end === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL')
  const [code] = await exit
  if (end === 'SIGTERM') assert.equal(code, 0)
  stop.abort()
  await work
  assert.doesNotMatch(output(), FAULT)
}

/** The first messages take the longest: a life that ends before is of its own kind. */
const MOSTLY = 0.8

async function delivering({ sinks: [channel] }: DeliveryAudit): Promise<void> {
  const before = channel?.asked ?? 0
  await until(
    () => channel?.asked ?? 0,
    (asked) => asked > before,
  )
}

/** In every other life some threads end, now and then one while another is on its way back. */
async function sabotage(audit: DeliveryAudit, send: (order: SabotageOrder) => void): Promise<void> {
  const { roll } = audit
  for (let left = Math.floor(roll() * 4) - 1; left > 0; left--) {
    const order = oneOf(ORDERS, roll)
    count(audit, `${order.thread} ${order.does}`)
    send(order)
    await pause(roll() * 700)
  }
}

const oneOf = <T>(all: readonly T[], roll: () => number) => all[Math.floor(roll() * all.length)] as T
