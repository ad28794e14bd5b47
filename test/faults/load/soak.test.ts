import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom } from '../../harness/random.ts'
import { numberFrom, SEED, shareOf } from '../campaign.ts'
import { startVictim } from '../victim.ts'
import { assertStandsFlood, untilDelivered } from './flooded.ts'
import { assertNoLeak, type Sample, sampleOf } from './leak-check.ts'
import { LoadMix, startFlakyProvider } from './load-mix.ts'

const SECONDS = numberFrom('FAULTS_SOAK_SECONDS', shareOf(0.1) / 1_000)
const PER_SECOND = numberFrom('FAULTS_SOAK_RATE', 250)
/** A shorter run cannot tell a heap that warms up from one that leaks. */
const FLAT_AFTER_SECONDS = 600
/** A flood at the end shows that the service stands it after the soak, too. */
const FLOOD_SECONDS = 60
const SAMPLE_MS = 5_000
/** Time in each minute in which the provider hangs. */
const OUT_MS = 10_000
const MINUTE_MS = 60_000

test('all kinds of load at once, for long: nothing grows, no incident is refused, and everything is delivered', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux tells what a process holds')
  const flakyProvider = await startFlakyProvider(t, randomFrom(SEED))
  const overrides = {
    alert: flakyProvider.alert,
    oncall: { enable: true, wait_minutes: 0.02, provider: 'webhook', webhook: { url: `${flakyProvider.url}/page` } },
    delivery: { attempts: 3, backoff: { initial: '50ms', max: '500ms' }, timeout: '1s', circuit: { failures: 50 } },
  }
  const victim = await startVictim(t, overrides, { limits: { max_incidents: 20_000, max_backlog: 40_000 } })
  writeFileSync(victim.file, readFileSync(victim.file, 'utf8').replace('level: info', 'level: error'))
  const sampled = {
    pid: victim.child.pid ?? 0,
    port: Number(new URL(victim.url).port),
    dataDir: join(victim.dir, 'data'),
  }
  const loadMix = new LoadMix({ ...victim, reload: () => victim.child.kill('SIGHUP') })
  const over = new AbortController()
  const samples: Sample[] = []
  const watch = (async () => {
    for (let nth = 0; !over.signal.aborted; nth++) {
      await pause(SAMPLE_MS)
      flakyProvider.hangs = (nth * SAMPLE_MS) % MINUTE_MS < OUT_MS
      samples.push(sampleOf(sampled, loadMix.latenciesMs.splice(0)))
    }
  })()
  await loadMix.run(AbortSignal.timeout(SECONDS * 1_000), PER_SECOND).finally(() => over.abort())
  await watch
  Object.assign(flakyProvider, { healed: true, hangs: false })
  await untilDelivered(victim.url)
  t.diagnostic(JSON.stringify([Object.fromEntries(loadMix.statuses), Object.fromEntries(loadMix.done)]))
  if (SECONDS >= FLAT_AFTER_SECONDS) assertNoLeak(t, samples)
  const { 201: _created, 200: _again, 503: refused = 0, ...others } = Object.fromEntries(loadMix.statuses)
  assert.deepEqual(others, {})
  assert.equal(refused, 0)
  await victim.assertSound()
  if (SECONDS < FLAT_AFTER_SECONDS) return
  await assertStandsFlood(t, { victim, flakyProvider, seconds: FLOOD_SECONDS })
})
