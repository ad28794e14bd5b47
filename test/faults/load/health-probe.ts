import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Started } from '../../harness/process.ts'
import { waitedForCoreMs } from '../../harness/watch/proc.ts'

const MAX_HEALTH_MS = 500
const EVERY_MS = 20

interface ProbeSample {
  readonly tookMs: number
  /**
   * `tookMs` without the time in which this process, or the main thread of the service, was ready to run and had no
   * core.
   */
  readonly ownMs: number
}

/**
 * Asks /healthz every 20 ms, as an orchestrator does. `ended` stops it and fails when an answer took the service more
 * than 500 ms.
 */
export function startHealthProbe({ child, url }: Pick<Started, 'child' | 'url'>) {
  const stop = new AbortController()
  const samples: ProbeSample[] = []
  const work = (async () => {
    while (!stop.signal.aborted) {
      samples.push(await probeOnce(url, child.pid ?? 0))
      await pause(EVERY_MS)
    }
  })()
  return {
    async ended(t: TestContext): Promise<void> {
      stop.abort()
      await work
      const slowest = (of: (sample: ProbeSample) => number) => Math.round(Math.max(...samples.map(of)))
      const [took, own] = [slowest(({ tookMs }) => tookMs), slowest(({ ownMs }) => ownMs)]
      t.diagnostic(
        `${samples.length} answers of /healthz, the slowest ${took} ms, ${own} ms without the wait for a core`,
      )
      assert.ok(own <= MAX_HEALTH_MS, `/healthz took the service ${own} ms`)
    },
  }
}

async function probeOnce(url: string, pid: number): Promise<ProbeSample> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const waitedMs = waitedForCoreMs(pid)
  const began = performance.now()
  const { status } = await fetch(`${url}/healthz`)
  const tookMs = performance.now() - began
  delay.disable()
  assert.equal(status, 200)
  const excusedMs = waitedForCoreMs(pid) - waitedMs + (delay.count === 0 ? 0 : delay.max / 1e6)
  return { tookMs, ownMs: Math.max(0, tookMs - excusedMs) }
}
