import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { admin } from '../../harness/system.ts'
import { until } from '../campaign.ts'
import { type FloodResult, flood } from '../flood.ts'
import { assertBounded, assertMemoryReturned, type Victim } from '../victim.ts'
import { probe } from './health-probe.ts'
import type { FlakyProvider } from './load-mix.ts'

const TIMES_CAPACITY = 3
const CONNECTIONS = 1_000
const CAPACITY = { connections: 64, perSecond: 0, seconds: 2 }

/** Floods the service with three times what it takes, while its receiver hangs, and waits until nothing of it is left. */
export async function assertStandsFlood(
  t: TestContext,
  {
    victim,
    flakyProvider,
    seconds,
  }: { readonly victim: Victim; readonly flakyProvider: FlakyProvider; readonly seconds: number },
): Promise<void> {
  const alone = await flood(victim.url, CAPACITY)
  const capacity = (alone.statuses[201] ?? 0) / alone.seconds
  await settled(victim.url)
  const before = victim.rss()
  flakyProvider.out = true
  const health = probe(victim)
  const pace = { connections: CONNECTIONS, perSecond: TIMES_CAPACITY * capacity, seconds }
  const flooded = await flood(victim.url, pace)
  await health.ended(t)
  t.diagnostic(`alone ${said(alone)}; flooded ${said(flooded)}`)
  const { 201: _accepted, 503: _refused, ...others } = flooded.statuses
  assert.deepEqual(others, {})
  assertBounded(before, victim.rss())
  flakyProvider.out = false
  await settled(victim.url)
  await victim.sound()
  await assertMemoryReturned(t, victim, before)
}

const said = ({ sent, seconds, statuses }: FloodResult) => `${Math.round(sent / seconds)}/s ${JSON.stringify(statuses)}`

/** Nothing is left to deliver. */
export async function settled(url: string): Promise<void> {
  const unfinished = async () => {
    const { storage } = (await admin(url, '/api/admin/stats')) as { storage: { unfinished_deliveries: number } | null }
    return storage?.unfinished_deliveries
  }
  await until(unfinished, (left) => left === 0, { deadlineMs: 180_000, everyMs: 200 })
}
