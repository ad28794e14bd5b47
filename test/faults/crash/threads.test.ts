import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin } from '../../harness/net/requests.ts'
import { startProcess } from '../../harness/process.ts'
import { until } from '../../harness/until.ts'
import { shareOf } from '../campaign.ts'
import { auditService, BUG, count, ORDERS, setupAuditedService, writeLines } from './audited-service.ts'
import { SABOTAGED, type SabotageOrder, SUPERVISED } from './saboteur.ts'

/** Longer than the service takes to call itself not ready. */
const BLOCK_MS = Math.min(10_000, Math.max(4_000, shareOf(0.05)))
const BLOCKS = SUPERVISED.map((thread): SabotageOrder => ({ thread, does: 'block', ms: BLOCK_MS }))

test('however a thread ends or blocks, the process answers, the thread is started again, and what was accepted arrives', async (t) => {
  const audited = await setupAuditedService(t)
  const { child, url, output } = await startProcess(t, audited.file, SABOTAGED)
  const statusOf = (path: string) => unlessCut(async () => (await fetch(url + path)).status)
  const stop = new AbortController()
  t.after(() => stop.abort())
  const work = audited.ledger.load(url, stop.signal, 20_000)
  for (const order of [...ORDERS, ...BLOCKS]) {
    const { thread, does } = order
    writeLines(audited, 10)
    count(audited, `${thread} ${does}`)
    const restarts = await until(
      () => restartsOf(url, thread),
      (now) => now !== undefined,
    )
    child.send(order)
    if (does === 'block') await until(async () => (await statusOf('/readyz')) === 503)
    else if (thread !== 'render')
      await until(
        () => restartsOf(url, thread),
        (now) => now !== undefined && now > (restarts ?? 0),
      )
    for (const path of ['/healthz', '/readyz']) await until(async () => (await statusOf(path)) === 200)
  }
  stop.abort()
  await work
  await auditService(t, audited, url)
  assert.equal(child.exitCode, null)
  assert.doesNotMatch(output(), BUG)
})

/**
 * Returns undefined when the connection was cut, as a failing front does. The end of the test checks the process
 * itself.
 */
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
