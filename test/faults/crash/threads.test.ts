import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProcess } from '../../harness/process.ts'
import { admin } from '../../harness/requests.ts'
import { until } from '../../harness/until.ts'
import { shareOf } from '../campaign.ts'
import { auditDeliveries, count, FAULT, ORDERS, setupDeliveryAudit, writeLines } from './audited-service.ts'
import { SABOTAGED, type SabotageOrder, SUPERVISED } from './saboteur.ts'

/** Longer than it takes to be called not ready. */
const BLOCK_MS = Math.min(10_000, Math.max(4_000, shareOf(0.05)))
const BLOCKS = SUPERVISED.map((thread): SabotageOrder => ({ thread, does: 'block', ms: BLOCK_MS }))

test('whatever befalls a thread, the process answers, it is back, and what was accepted arrives', async (t) => {
  const audit = await setupDeliveryAudit(t)
  const { child, url, output } = await startProcess(t, audit.file, SABOTAGED)
  const statusOf = (path: string) => unlessCut(async () => (await fetch(url + path)).status)
  const stop = new AbortController()
  t.after(() => stop.abort())
  const work = audit.ledger.load(url, stop.signal, 20_000)
  for (const order of [...ORDERS, ...BLOCKS]) {
    const { thread, does } = order
    writeLines(audit, 10)
    count(audit, `${thread} ${does}`)
    const restarts = await until(
      () => restartsOf(url, thread),
      (now) => now !== undefined,
    )
    child.send(order)
    if (does === 'block')
      await until(
        () => statusOf('/readyz'),
        (status) => status === 503,
      )
    else if (thread !== 'render')
      await until(
        () => restartsOf(url, thread),
        (now) => now !== undefined && now > (restarts ?? 0),
      )
    for (const path of ['/healthz', '/readyz'])
      await until(
        () => statusOf(path),
        (status) => status === 200,
      )
  }
  stop.abort()
  await work
  await auditDeliveries(t, audit, url)
  assert.equal(child.exitCode, null)
  assert.doesNotMatch(output(), FAULT)
})

/** Undefined: the connection was cut, as a front that fails does with its own; the process itself is looked at in the end. */
const unlessCut = <T>(ask: () => Promise<T>): Promise<T | undefined> =>
  ask().catch((error) => {
    if (error instanceof TypeError) return undefined
    throw error
  })

function restartsOf(url: string, thread: string): Promise<number | undefined> {
  return unlessCut(async () => {
    const { threads } = (await admin(url, '/api/admin/stats')) as { threads: { [name: string]: { restarts: number } } }
    return threads[thread]?.restarts ?? 0
  })
}
