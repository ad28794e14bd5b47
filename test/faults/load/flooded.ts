import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type LoadOutcome, postOpenLoop } from '../../harness/load/open-loop.ts'
import { admin } from '../../harness/net/requests.ts'
import { until } from '../../harness/until.ts'
import { assertBounded, assertMemoryReturned, type Victim } from '../victim.ts'
import { startHealthProbe } from './health-probe.ts'
import type { FlakyProvider } from './load-mix.ts'

const TIMES_CAPACITY = 3
const FLOOD = { connections: 1_000, whenBusy: 'skip' } as const
const CAPACITY = { perSecond: 0, seconds: 2 }

interface FloodedService {
  readonly victim: Victim
  readonly flakyProvider: FlakyProvider
  readonly seconds: number
}

/**
 * Posts three times what the service accepts in a closed loop, while its provider hangs. Every answer must be 201 or
 * 503, /healthz must answer, and memory must return once the provider answers and all is delivered.
 */
export async function assertStandsFlood(
  t: TestContext,
  { victim, flakyProvider, seconds }: FloodedService,
): Promise<void> {
  const alone = await postOpenLoop(victim.url, CAPACITY)
  await untilDelivered(victim.url)
  const before = victim.rss()
  flakyProvider.hangs = true
  const health = startHealthProbe(victim)
  const perSecond = (TIMES_CAPACITY * alone.accepted) / alone.seconds
  const flooded = await postOpenLoop(victim.url, { ...FLOOD, perSecond, seconds })
  await health.ended(t)
  t.diagnostic(`alone ${shown(alone)}; flooded ${shown(flooded)}`)
  const { 201: _accepted, 503: _refused, ...others } = flooded.statuses
  assert.deepEqual(others, {})
  assertBounded(before, victim.rss())
  flakyProvider.hangs = false
  await untilDelivered(victim.url)
  await victim.assertSound()
  await assertMemoryReturned(t, victim, before)
}

const shown = ({ accepted, refused, seconds, statuses }: LoadOutcome) =>
  `${Math.round((accepted + refused) / seconds)}/s ${JSON.stringify(statuses)}`

/** Resolves when no delivery is unfinished. */
export async function untilDelivered(url: string): Promise<void> {
  const unfinished = async () => {
    const { storage } = await admin<{ storage: { unfinished_deliveries: number } | null }>(url, '/api/admin/stats')
    return storage?.unfinished_deliveries
  }
  await until(unfinished, (left) => left === 0, { deadlineMs: 180_000, everyMs: 200 })
}
