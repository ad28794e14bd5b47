import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { median, robustSlope } from '../../harness/statistics.ts'
import { clientConnections, openFiles, rssBytes, threadCount } from '../../harness/watch/proc.ts'

/** Readings that must not grow while a service does the same work all the time. */
export interface Sample {
  readonly atMs: number
  readonly rssBytes: number
  /** Open files without the connections of clients. */
  readonly handles: number
  readonly threads: number
  readonly walBytes: number
  readonly databaseBytes: number
  readonly p50Ms: number
  readonly p99Ms: number
}

type Figure = Exclude<keyof Sample, 'atMs'>

/**
 * Allowed growth over the second half of the run: a share of the figure's median, or an amount, whichever is larger.
 */
const ALLOWED_GROWTH: { readonly [name in Figure]: { readonly share: number; readonly amount: number } } = {
  rssBytes: { share: 0.1, amount: 0 },
  handles: { share: 0.05, amount: 5 },
  threads: { share: 0, amount: 1 },
  walBytes: { share: 0.1, amount: 4 * 1024 * 1024 },
  databaseBytes: { share: 0.1, amount: 4 * 1024 * 1024 },
  p50Ms: { share: 0.5, amount: 5 },
  p99Ms: { share: 1, amount: 50 },
}

interface SampledService {
  readonly pid: number
  readonly port: number
  readonly dataDir: string
}

/** Takes one sample; Linux only. `latenciesMs`: of the requests since the sample before. */
export function sampleOf({ pid, port, dataDir }: SampledService, latenciesMs: readonly number[]): Sample {
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  return {
    atMs: performance.now(),
    rssBytes: rssBytes(pid),
    handles: openFiles(pid) - clientConnections(port),
    threads: threadCount(pid),
    walBytes: statSync(`${dataDir}/tocsin.db-wal`).size,
    databaseBytes: statSync(`${dataDir}/tocsin.db`).size,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  }
}

/** Prints the course of each figure, and fails when one grew in the second half by more than is allowed. */
export function assertNoLeak(t: TestContext, samples: readonly Sample[]): void {
  const half = samples.slice(Math.floor(samples.length / 2))
  const spanMs = (half.at(-1)?.atMs ?? 0) - (half[0]?.atMs ?? 0)
  const grown = (Object.keys(ALLOWED_GROWTH) as Figure[]).filter((figure) => {
    const growth = robustSlope(half.map((sample) => [sample.atMs, sample[figure]] as const)) * spanMs
    const { share, amount } = ALLOWED_GROWTH[figure]
    const course = tenths(samples).map((some) => shown(medianOf(some, figure)))
    t.diagnostic(`${figure}: ${course.join(', ')}; grew ${shown(growth)} in the second half`)
    return growth > Math.max(medianOf(half, figure) * share, amount)
  })
  assert.deepEqual(grown, [])
}

const medianOf = (samples: readonly Sample[], figure: Figure) => median(samples.map((sample) => sample[figure]))

function tenths(samples: readonly Sample[]): Sample[][] {
  const at = (tenth: number) => Math.floor((samples.length * tenth) / 10)
  return Array.from({ length: 10 }, (_, n) => samples.slice(at(n), at(n + 1)))
}

const shown = (value: number) => (Math.abs(value) < 1e5 ? value.toFixed(1) : `${(value / 1024 / 1024).toFixed(1)} MiB`)
