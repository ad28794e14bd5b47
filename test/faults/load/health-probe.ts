import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import type { Started } from '../../harness/process.ts'

const HEALTH_MS = 500
const EVERY_MS = 20

interface ProbeSample {
  readonly tookMs: number
  /** Without the time in which this process, or the thread that answers, was ready and the machine gave it no core. */
  readonly ownMs: number
}

/** Looks at /healthz again and again, as an orchestrator does, until told to stop. */
export function probe({ child, url }: Pick<Started, 'child' | 'url'>) {
  const stop = new AbortController()
  const looks: ProbeSample[] = []
  const work = (async () => {
    while (!stop.signal.aborted) {
      looks.push(await probeOnce(url, child.pid ?? 0))
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
  })()
  return {
    async ended(t: TestContext): Promise<void> {
      stop.abort()
      await work
      const worst = (of: (look: ProbeSample) => number) => Math.round(Math.max(...looks.map(of)))
      const [took, own] = [worst(({ tookMs }) => tookMs), worst(({ ownMs }) => ownMs)]
      t.diagnostic(`${looks.length} looks at /healthz, the slowest ${took} ms, ${own} ms without the wait for a core`)
      assert.ok(own <= HEALTH_MS, `a look at /healthz took ${own} ms of the service's own`)
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

/** Of the main thread so far; 0 where the kernel does not tell. */
function waitedForCoreMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
